// A small model that has one of everything that an om can say.
#pragma once

#include "compiler/om/om_model.h"

namespace atc {

inline OmModel SampleModel() {
  OmModel model;
  model.name = "sample";
  model.graph = std::make_unique<Graph>("sample");
  Graph& graph = *model.graph;
  graph.attrs.Set("note", "all kinds");

  TensorDesc image(DT_FLOAT, {1, 3, 4, 4}, FORMAT_NCHW);
  image.ranges = {{1, 1}, {3, 3}, {4, 8}, {4, -1}};
  image.symbols = {"", "", "h", "w"};
  const ValueId x = graph.AddData("x", 0, image);
  const OriginId conv1 = graph.origins().Leaf("conv1");
  const OriginId relu1 = graph.origins().Leaf("relu1");
  const std::vector<float> numbers = {0.5f, -0.0f, 1e-40f, 3.0f, 5.0f, 6.0f, 7.0f, 8.0f, 9.0f, 10.0f, 11.0f, 12.0f};
  const ValueId w = graph.AddConst("w", Tensor::From<float>(DT_FLOAT, {3, 4}, numbers), conv1);
  const ValueId same = graph.AddConst("w_again", Tensor::From<float>(DT_FLOAT, {4, 3}, numbers));
  Tensor packed = Tensor::Allocate(DT_UINT4, {3});
  packed.MutableData<uint8_t>()[0] = 0x21;
  packed.MutableData<uint8_t>()[1] = 0x03;
  const ValueId bytes = graph.AddConst("b", packed);
  const ValueId empty = graph.AddConst("empty", Tensor::Allocate(DT_INT64, {0, 2}));
  const ValueId words =
      graph.AddConst("words", Tensor::From<std::string>(DT_STRING, {2}, {"a", std::string("\0b", 2)}));

  Node& identity = graph.Add("Identity", "conv1:relu", {x});
  identity.origin = graph.origins().Union(relu1, conv1);
  identity.engine = "AIcoreEngine";
  identity.stream = 0;
  identity.Because("dtype", "force_fp16");
  identity.Because("format", "NC1HWC0: spread");
  identity.workspace_offset = {1024};
  identity.workspace_bytes = {64};
  identity.attrs.Set("i", int64_t{-5});
  identity.attrs.Set("f", 0.1f);
  identity.attrs.Set("b", true);
  identity.attrs.Set("s", "text");
  identity.attrs.Set("dt", DT_FLOAT16);
  identity.attrs.Set("dt_private", DT_FLOAT8_E4M3FN);
  identity.attrs.Set("t", Tensor::Ints({1, 2, 3}));
  identity.attrs.Set("li", std::vector<int64_t>{});
  identity.attrs.Set("lf", std::vector<float>{0.1f, 2});
  identity.attrs.Set("lb", std::vector<bool>{true, false});
  identity.attrs.Set("ls", std::vector<std::string>{"p", ""});
  identity.attrs.Set("lli", std::vector<std::vector<int64_t>>{{1, 2}, {}});
  Value& y = graph.value(identity.outputs[0]);
  y.desc = TensorDesc(DT_FLOAT16, {1, 3, 4, 4}, FORMAT_NCHW);
  y.desc.format = FORMAT_NC1HWC0;
  y.desc.shape = {1, 1, 4, 4, 16};
  y.offset = 512;
  y.size = 544;

  // A fused operator, and inside it a constant that the main graph also has.
  Node& fused = graph.Add("Identity", "fused", {identity.outputs[0]});
  fused.fused = graph.MakeNested("fused_body");
  Graph& body = *fused.fused;
  const ValueId in = body.AddData("fused_in", 0, y.desc);
  const ValueId inner = body.AddConst("fused_w", Tensor::From<float>(DT_FLOAT, {12}, numbers), conv1);
  body.Add("NetOutput", "fused_out", {in, inner}, 0);
  graph.desc(fused.outputs[0]) = y.desc;

  // One that owns a graph as control flow does.
  Node& owner = graph.Add("Identity", "owner", {fused.outputs[0]});
  Graph& branch = graph.AddSubgraph(owner, "then_branch");
  branch.Add("NetOutput", "branch_out", {branch.AddData("branch_in", 0, y.desc)}, 0);
  graph.desc(owner.outputs[0]) = y.desc;
  owner.stream = 1;

  Node& send = graph.Add("Send", "send", {}, 0);
  send.attrs.Set("event_id", 0);
  graph.AddControl(fused.id, send.id);
  Node& recv = graph.Add("Recv", "recv", {}, 0);
  recv.attrs.Set("event_id", 0);
  recv.stream = 1;
  graph.AddControl(recv.id, owner.id);

  graph.Remove(graph.Add("NoOp", "removed", {}, 0).id);
  graph.Add("NetOutput", "NetOutput", {owner.outputs[0], w, same, bytes, empty, words}, 0);

  model.tasks.push_back({TaskType::kKernel, 0, 0, 0, identity.id, std::string("\1abc", 4)});
  model.tasks.push_back({TaskType::kKernel, 1, 0, 0, fused.id, ""});
  model.tasks.push_back({TaskType::kEventRecord, 2, 0, 0, send.id, ""});
  model.tasks.push_back({TaskType::kEventWait, 3, 1, 0, recv.id, ""});
  model.tasks.push_back({TaskType::kKernel, 4, 1, 0, owner.id, ""});
  model.stream_num = 2;
  model.event_num = 1;
  model.memory_size = 4096;
  model.zero_copy_memory_size = 1024;
  model.dynamic = true;
  model.attrs.Set("soc_version", "Ascend910B3");
  model.attrs.Set("attr_model_out_nodes_name",
                  std::vector<std::string>{"o:0", "w:0", "w_again:0", "b:0", "e:0", "s:0"});
  return model;
}

}  // namespace atc
