#include "backend/executor/precision.h"

namespace atc {
namespace {

struct Significand {
  DataType dtype;
  int bits;  // that are stored
};

constexpr Significand kSignificands[] = {
    {DT_DOUBLE, 52},        {DT_COMPLEX128, 52},       {DT_FLOAT, 23},         {DT_COMPLEX64, 23},      {DT_FLOAT16, 10},
    {DT_COMPLEX32, 10},     {DT_BF16, 7},              {DT_HIFLOAT8, 3},       {DT_FLOAT8_E4M3FN, 3},   {DT_FLOAT8_E4M3FNUZ, 3},
    {DT_FLOAT6_E2M3, 3},    {DT_FLOAT8_E5M2, 2},       {DT_FLOAT8_E5M2FNUZ, 2}, {DT_FLOAT6_E3M2, 2},    {DT_FLOAT4_E1M2, 2},
    {DT_FLOAT4_E2M1, 1},    {DT_FLOAT8_E8M0, 0},
};

constexpr int kNone = 1000;  // no floating-point type

int BitsOf(DataType dtype) {
  for (const Significand& row : kSignificands) {
    if (row.dtype == dtype) return row.bits;
  }
  return kNone;
}

struct Narrowest {
  DataType dtype = DT_UNDEFINED;
  void Take(DataType other) {
    if (BitsOf(other) < BitsOf(dtype)) dtype = other;
  }
};

bool IsGiven(const Node& node) { return node.type() == "Data" || node.type() == "Const" || node.type() == "Constant"; }

void TakeAll(const Graph& graph, Narrowest* narrowest) {
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (IsGiven(node)) continue;
    for (const ValueId value : node.outputs) narrowest->Take(graph.desc(value).dtype);
    for (const Subgraph& body : node.subgraphs) TakeAll(*body.graph, narrowest);
    if (node.fused) TakeAll(*node.fused, narrowest);
  }
}

}  // namespace

std::vector<DataType> OutputPrecisions(const Graph& graph) {
  std::vector<Narrowest> of(graph.node_capacity());
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    Narrowest& own = of[id];
    for (const ValueId input : node.inputs) {
      if (input != kNoId) own.Take(of[graph.value(input).producer].dtype);
    }
    if (IsGiven(node)) continue;
    for (const ValueId output : node.outputs) own.Take(graph.desc(output).dtype);
    for (const Subgraph& body : node.subgraphs) TakeAll(*body.graph, &own);
    if (node.fused) TakeAll(*node.fused, &own);
  }
  std::vector<DataType> precisions;
  for (const ValueId output : graph.NetOutput()->inputs) precisions.push_back(of[graph.value(output).producer].dtype);
  return precisions;
}

}  // namespace atc
