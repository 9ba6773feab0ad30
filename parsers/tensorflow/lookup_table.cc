// Lookup tables: a handle is a table of constants, which finding reads.
#include "compiler/ops/scalar.h"
#include "parsers/tensorflow/call_tree.h"
#include "parsers/tensorflow/families.h"
#include "parsers/tensorflow/graph_builder.h"

namespace atc::tf_parser {
namespace {

const TableContents& ContentsOf(const NodeContext& ctx, const std::map<std::string, TableContents>& tables) {
  const auto it = tables.find(ResourceName(ctx.node()));
  if (it == tables.end()) {
    throw Error("E13014", {{"value", "'" + ResourceName(ctx.node()) + "'"},
                           {"parameter", "The lookup table"},
                           {"opname", ctx.name()},
                           {"reason", "No initializer of the model fills it from constants or a file."}},
                "Save the model as a SavedModel, with its tables, or freeze it with their initializers.");
  }
  return it->second;
}

void ConvertTable(NodeContext& ctx) {
  const TableContents& table = ContentsOf(ctx, ctx.builder().model().tables);
  const ValueId keys = ctx.Const(table.keys, "keys"), values = ctx.Const(table.values, "values");
  ctx.SetOutput(0, ctx.Emit("tf::HashTable", {keys, values}).outputs[0]);
}

void ConvertFind(NodeContext& ctx) {
  Node& node = ctx.Pass("tf::LookupTableFind");
  node.attrs.Set("value_dtype", AttrValue(ctx.InType(2)));
}

void ConvertExport(NodeContext& ctx) {
  Node& node = ctx.Pass("tf::LookupTableExport", 2);
  node.attrs.Set("key_dtype", AttrValue(ctx.Type("Tkeys")));
  node.attrs.Set("value_dtype", AttrValue(ctx.Type("Tvalues")));
}

}  // namespace

void RegisterLookupTableConverters(ConverterRegistry& registry) {
  for (const char* op : {"HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2"}) {
    registry.Add(op, ConvertTable);
  }
  for (const char* op : {"LookupTableExport", "LookupTableExportV2"}) registry.Add(op, ConvertExport);
  for (const char* op : {"LookupTableFind", "LookupTableFindV2"}) registry.Add(op, ConvertFind);
  for (const char* op : {"LookupTableSize", "LookupTableSizeV2"}) registry.AddPass(op, "tf::LookupTableSize");
  // The handle under another name.
  registry.Add("TableToResourceV2", [](NodeContext& ctx) { ctx.SetOutput(0, ctx.In(0)); });
}

}  // namespace atc::tf_parser
