#include "parsers/tensorflow/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "parsers/model_file.h"
#include "parsers/tensorflow/call_tree.h"
#include "parsers/tensorflow/graph_def.pb.h"

namespace atc::tf_parser {
namespace {

// What a column number of a text file may be besides a column.
constexpr int64_t kWholeLine = -2;
constexpr int64_t kLineNumber = -1;

[[noreturn]] void Fail(const std::string& table, const std::string& reason) {
  throw Error("E13014", {{"value", "what its initializer says"},
                         {"parameter", "The lookup table"},
                         {"opname", table},
                         {"reason", reason}},
              "Save the model anew as a SavedModel, with its tables and their files.");
}

int64_t IntAttr(const SourceNode& node, const char* name, int64_t fallback) {
  const auto it = node.def->attr().find(name);
  return it == node.def->attr().end() ? fallback : it->second.i();
}

template <typename T>
std::vector<T> Reordered(const Tensor& x, const std::vector<size_t>& order) {
  std::vector<T> values;
  for (const size_t i : order) values.push_back(x.Data<T>()[i]);
  return values;
}

Tensor Reordered(const std::string& table, const Tensor& x, const std::vector<size_t>& order) {
  const Shape shape{static_cast<int64_t>(order.size())};
  switch (x.dtype()) {
    case DT_STRING: return Tensor::From(DT_STRING, shape, Reordered<std::string>(x, order));
    case DT_INT64: return Tensor::From(DT_INT64, shape, Reordered<int64_t>(x, order));
    case DT_INT32: return Tensor::From(DT_INT32, shape, Reordered<int32_t>(x, order));
    case DT_FLOAT: return Tensor::From(DT_FLOAT, shape, Reordered<float>(x, order));
    case DT_DOUBLE: return Tensor::From(DT_DOUBLE, shape, Reordered<double>(x, order));
    case DT_BOOL: {
      Tensor y = Tensor::Allocate(DT_BOOL, shape);
      for (size_t i = 0; i < order.size(); ++i) y.MutableData<bool>()[i] = x.Data<bool>()[order[i]];
      return y;
    }
    default: Fail(table, fmt::format("its values have element type {}, which tables do not hold", DataTypeName(x.dtype())));
  }
}

// Keys sorted, values with them. A key may come twice with one value.
TableContents Sorted(const std::string& table, const Tensor& keys, const Tensor& values) {
  if (keys.NumElements() != values.NumElements()) {
    Fail(table, fmt::format("it has {} keys and {} values", keys.NumElements(), values.NumElements()));
  }
  std::vector<size_t> order(static_cast<size_t>(keys.NumElements()));
  std::iota(order.begin(), order.end(), size_t{0});
  const auto sort = [&](auto key) {
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
    // The last of equal keys holds, as when they are put in one by one.
    std::vector<size_t> distinct;
    for (const size_t i : order) {
      if (!distinct.empty() && key(distinct.back()) == key(i)) distinct.pop_back();
      distinct.push_back(i);
    }
    order = std::move(distinct);
  };
  if (keys.dtype() == DT_STRING) {
    sort([&](size_t i) -> const std::string& { return keys.Data<std::string>()[i]; });
  } else if (IsInteger(keys.dtype())) {
    sort([ints = ToInts(keys)](size_t i) { return ints[i]; });
  } else {
    Fail(table, fmt::format("its keys have element type {}, wanted strings or integers", DataTypeName(keys.dtype())));
  }
  return {Reordered(table, keys, order), Reordered(table, values, order)};
}

// Text of the elements of a column, as the type of the table has it.
Tensor Column(const std::string& table, DataType dtype, const std::vector<std::string>& texts) {
  const Shape shape{static_cast<int64_t>(texts.size())};
  if (dtype == DT_STRING) return Tensor::From(DT_STRING, shape, texts);
  std::vector<int64_t> ints;
  std::vector<double> reals;
  for (const std::string& text : texts) {
    const char* const end = text.data() + text.size();
    int64_t integer = 0;
    double real = 0;
    const auto [stop, error] = IsInteger(dtype) ? std::from_chars(text.data(), end, integer)
                                                : std::from_chars(text.data(), end, real);
    if (error != std::errc() || stop != end) Fail(table, fmt::format("'{}' in its file is no number", text));
    ints.push_back(integer);
    reals.push_back(real);
  }
  switch (dtype) {
    case DT_INT64: return Tensor::From(DT_INT64, shape, ints);
    case DT_INT32: return Tensor::From(DT_INT32, shape, std::vector<int32_t>(ints.begin(), ints.end()));
    case DT_FLOAT: return Tensor::From(DT_FLOAT, shape, std::vector<float>(reals.begin(), reals.end()));
    case DT_DOUBLE: return Tensor::From(DT_DOUBLE, shape, reals);
    default: Fail(table, fmt::format("element type {} is not read from files", DataTypeName(dtype)));
  }
}

std::vector<std::string> Lines(const ModelFile& file, int64_t most) {
  std::vector<std::string> lines;
  std::string_view rest(reinterpret_cast<const char*>(file.data()), file.size());
  while (!rest.empty() && (most < 0 || static_cast<int64_t>(lines.size()) < most)) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return lines;
}

std::string Cell(const std::string& table, const std::string& line, int64_t column, char delimiter, size_t number,
                 int64_t offset) {
  if (column == kWholeLine) return line;
  if (column == kLineNumber) return std::to_string(static_cast<int64_t>(number) + offset);
  size_t begin = 0;
  for (int64_t c = 0; c < column; ++c) {
    const size_t at = line.find(delimiter, begin);
    if (at == std::string::npos) Fail(table, fmt::format("line {} of its file has no column {}", number + 1, column));
    begin = at + 1;
  }
  return line.substr(begin, line.find(delimiter, begin) - begin);
}

class Reader {
 public:
  Reader(const ModelState& model, const std::map<std::string, std::string>& assets, std::string folder)
      : model_(model), assets_(assets), folder_(std::move(folder)) {}

  TableContents FromTensors(const std::string& table, const CallSite& site, const SourceNode& node) const {
    return Sorted(table, Operand(table, site, node, 1), Operand(table, site, node, 2));
  }

  TableContents FromFile(const std::string& table, const SourceNode& handle, const CallSite& site,
                         const SourceNode& node) const {
    const Origin name = TraceOrigin(site, node.inputs[1]);
    const auto file = ModelFile::MapReferenced(PathOf(table, name));
    const auto delimiter = node.def->attr().find("delimiter");
    const char split = delimiter == node.def->attr().end() || delimiter->second.s().empty() ? '\t' : delimiter->second.s()[0];
    const std::vector<std::string> lines = Lines(*file, IntAttr(node, "vocab_size", -1));
    const auto column = [&](const char* index, const char* dtype) {
      const int64_t number = IntAttr(node, index, kWholeLine);
      std::vector<std::string> cells;
      for (size_t i = 0; i < lines.size(); ++i) {
        cells.push_back(Cell(table, lines[i], number, split, i, IntAttr(node, "offset", 0)));
      }
      const auto type = handle.def->attr().find(dtype);
      return Column(table, type == handle.def->attr().end() ? DT_UNDEFINED : DataTypeFromTf(type->second.type()), cells);
    };
    return Sorted(table, column("key_index", "key_dtype"), column("value_index", "value_dtype"));
  }

 private:
  Tensor Operand(const std::string& table, const CallSite& site, const SourceNode& node, size_t i) const {
    const Origin from = TraceOrigin(site, node.inputs[i]);
    const Tensor value = from.node == nullptr ? Tensor() : ConstantOf(model_, *from.node);
    if (!value.defined()) Fail(table, fmt::format("its {} are computed by the model", i == 1 ? "keys" : "values"));
    return value.Materialized();
  }

  std::string PathOf(const std::string& table, const Origin& name) const {
    if (name.node == nullptr) Fail(table, "the name of its file is computed by the model");
    if (const auto asset = assets_.find(name.node->name); asset != assets_.end()) return asset->second;
    const Tensor text = ConstantOf(model_, *name.node);
    if (text.dtype() != DT_STRING || text.NumElements() != 1) Fail(table, "the name of its file is computed by the model");
    // A path of the machine where the model was made says nothing here.
    const std::string base = std::filesystem::path(*text.Data<std::string>()).filename().string();
    for (const std::string& path : {folder_ + "/" + base, folder_ + "/assets/" + base}) {
      if (std::filesystem::is_regular_file(path)) return path;
    }
    Fail(table, fmt::format("its file '{}' is neither beside the model nor in the folder assets there", base));
  }

  const ModelState& model_;
  const std::map<std::string, std::string>& assets_;
  std::string folder_;
};

}  // namespace

std::map<std::string, TableContents> ReadTables(const ModelState& model, const SourceGraph& graph,
                                                const std::map<std::string, std::string>& assets,
                                                const std::string& folder) {
  const std::set<std::string> tensors = {"InitializeTable", "InitializeTableV2", "LookupTableImport",
                                         "LookupTableImportV2"};
  const std::set<std::string> files = {"InitializeTableFromTextFile", "InitializeTableFromTextFileV2"};
  std::set<std::string> all = tensors;
  all.insert(files.begin(), files.end());
  const Reader reader(model, assets, folder);
  std::map<std::string, TableContents> tables;
  ForEachCalled(model, graph, all, [&](const CallSite& site, const SourceNode& node) {
    if (!all.contains(node.op)) return;
    if (node.inputs.size() != (tensors.contains(node.op) ? 3 : 2)) {
      Fail(node.name, fmt::format("{} has {} inputs", node.op, node.inputs.size()));
    }
    const Origin handle = TraceOrigin(site, node.inputs[0]);
    // Saving and restoring functions name tables of their own.
    if (handle.node == nullptr || handle.node->def == nullptr) return;
    const std::string name = ResourceName(*handle.node);
    if (tables.contains(name)) return;
    tables.emplace(name, tensors.contains(node.op) ? reader.FromTensors(name, site, node)
                                                   : reader.FromFile(name, *handle.node, site, node));
  });
  return tables;
}

}  // namespace atc::tf_parser
