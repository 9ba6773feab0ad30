// Lookup tables of constants: tf::HashTable is a DT_VARIANT of two tensors, the keys (sorted) and their values.
#include <algorithm>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/tensorflow_families.h"

namespace atc {
namespace {

void InferTable(InferContext& ctx) { ctx.SetOut(0, DT_VARIANT, {2}); }

void TableKernel(KernelContext& ctx) {
  if (ctx.In(0).NumElements() != ctx.In(1).NumElements()) ctx.Fail("keys and values must be as many");
  ctx.SetOut(0, Tensor::From<Tensor>(DT_VARIANT, {2}, {ctx.In(0), ctx.In(1)}));
}

struct Table {
  Tensor keys, values;
};

Table TableOf(const KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  if (x.dtype() != DT_VARIANT || x.NumElements() != 2) ctx.Fail("input 0 is no lookup table");
  return {x.Data<Tensor>()[0], x.Data<Tensor>()[1]};
}

// What a value is, from the node's attribute: nothing more is known of a table.
DataType NamedType(const InferContext& ctx, Name attr) { return ctx.Attr<DataType>(attr); }

// Values may be vectors: the shape of the default says it.
void InferFind(InferContext& ctx) {
  const Shape& keys = ctx.InShape(1);
  const bool scalar = ctx.InShape(2).HasRank() && ctx.InShape(2).rank() == 0;
  ctx.SetOut(0, ctx.InType(2), scalar ? keys : Shape::UnknownRank());
}

template <typename Key>
std::vector<int64_t> Places(const Tensor& sorted, const Tensor& wanted) {
  const auto keys = sorted.Span<Key>();
  std::vector<int64_t> places;
  for (const Key& key : wanted.Span<Key>()) {
    const auto it = std::lower_bound(keys.begin(), keys.end(), key);
    places.push_back(it != keys.end() && *it == key ? it - keys.begin() : -1);
  }
  return places;
}

void FindKernel(KernelContext& ctx) {
  const Table table = TableOf(ctx);
  const Tensor &wanted = ctx.In(1), &fallback = ctx.In(2);
  if (wanted.dtype() != table.keys.dtype() || fallback.dtype() != table.values.dtype() || fallback.NumElements() != 1) {
    ctx.Fail("keys " + std::string(DataTypeName(wanted.dtype())) + " and default " +
             std::string(DataTypeName(fallback.dtype())) + " " + ToString(fallback.shape()) + " do not fit a table from " +
             std::string(DataTypeName(table.keys.dtype())) + " to " + std::string(DataTypeName(table.values.dtype())));
  }
  std::vector<int64_t> places;
  Dispatch(Types<std::string, int32_t, int64_t>{}, ctx, wanted.dtype(),
           [&]<typename Key>() { places = Places<Key>(table.keys, wanted); });
  Tensor& y = ctx.Out(0, fallback.dtype(), wanted.shape());
  DispatchMovable(ctx, fallback.dtype(), [&]<typename T>() {
    T* to = y.MutableData<T>();
    for (const int64_t place : places) *to++ = place < 0 ? *fallback.Data<T>() : table.values.Data<T>()[place];
  });
}

void InferSize(InferContext& ctx) { ctx.SetOut(0, DT_INT64, {}); }
void SizeKernel(KernelContext& ctx) { *ctx.Out(0, DT_INT64, {}).MutableData<int64_t>() = TableOf(ctx).keys.NumElements(); }

void InferExport(InferContext& ctx) {
  ctx.SetOut(0, NamedType(ctx, "key_dtype"), {kUnknownDim});
  ctx.SetOut(1, NamedType(ctx, "value_dtype"), {kUnknownDim});
}
void ExportKernel(KernelContext& ctx) {
  const Table table = TableOf(ctx);
  ctx.SetOut(0, table.keys);
  ctx.SetOut(1, table.values);
}

}  // namespace

void RegisterLookupTableOps(OpRegistry& registry) {
  const auto op = [](const char* type) { return OpDef(type).Traits(kNoFold).On(Unit::kAiCpu); };
  registry.Add(op("tf::HashTable").In("keys").In("values").Out("table").Infer(InferTable).Kernel(TableKernel));
  registry.Add(op("tf::LookupTableExport").In("table").Out("keys").Out("values").Attr("key_dtype", AttrValue(DT_STRING))
                   .Attr("value_dtype", AttrValue(DT_INT64)).Infer(InferExport).Kernel(ExportKernel));
  registry.Add(op("tf::LookupTableFind").In("table").In("keys").In("default_value").Out("values")
                   .Attr("value_dtype", AttrValue(DT_INT64)).Infer(InferFind).Kernel(FindKernel));
  registry.Add(op("tf::LookupTableSize").In("table").Out("size").Infer(InferSize).Kernel(SizeKernel));
}

}  // namespace atc
