#include "test/backend/kernels/kernel_fixture.h"

using namespace atc;
using namespace atc::test;

namespace {

KernelCase Case(const char* type, const char* axis, Shape x, Shape parameter, DataType dtype, bool constant) {
  KernelCase c;
  c.type = type;
  c.set_attrs = [=](Node& node) {
    if (axis != nullptr) node.attrs.Set(axis, -static_cast<int64_t>(parameter.rank()));
  };
  c.inputs = {Narrow(RandomFloats(x, 1, -2, 3), dtype), Narrow(RandomFloats(parameter, 2), dtype), Narrow(RandomFloats(parameter, 3), dtype)};
  c.constant = {false, constant, constant};
  return c;
}

}  // namespace

TEST_CASE("layer norms of all widths, types and teams are those of the reference") {
  const int64_t width = GENERATE(1, 3, 7, 16, 33, 64, 100, 769, 5000);
  const DataType dtype = GENERATE(DT_FLOAT, DT_FLOAT16, DT_BF16);
  const double tolerance = dtype == DT_FLOAT ? 2e-6 : dtype == DT_FLOAT16 ? 2e-3 : 1.6e-2;
  const bool constant = width % 2 == 0;
  KernelCase c = Case("LayerNormV3", "begin_norm_axis", {5, 13, width}, {width}, dtype, constant);
  c.threads = width > 64 ? 3 : 1;
  CheckAgainstReference(c, tolerance);
  CheckAgainstReference(Case("LayerNorm", "begin_norm_axis", {6, width, 2}, {width, 2}, dtype, constant), tolerance);
  KernelCase plain = Case("onnx::LayerNormalization", "axis", {3, width}, {width}, dtype, constant);
  plain.inputs[2] = Tensor();
  CheckAgainstReference(plain, tolerance);
  KernelCase rms = Case("RmsNorm", nullptr, {2, 9, width}, {width}, dtype, constant);
  rms.inputs.resize(2);
  CheckAgainstReference(rms, tolerance);
  rms.type = "onnx::RMSNormalization";
  CheckAgainstReference(rms, tolerance);
}

namespace {

// x1, x2, gamma, and of a layer norm beta and a bias of shape `bias` (undefined: none).
KernelCase SumCase(bool centered, Shape x, Shape parameter, const Shape* bias, DataType dtype, bool constant) {
  KernelCase c;
  c.type = centered ? "AddLayerNorm" : "AddRmsNorm";
  c.inputs = {Narrow(RandomFloats(x, 1, -2, 3), dtype), Narrow(RandomFloats(x, 4, -1, 2), dtype),
              Narrow(RandomFloats(parameter, 2), dtype)};
  c.constant = {false, false, constant};
  if (centered) {
    c.inputs.push_back(Narrow(RandomFloats(parameter, 3), dtype));
    c.inputs.push_back(bias == nullptr ? Tensor() : Narrow(RandomFloats(*bias, 5), dtype));
    c.constant.insert(c.constant.end(), {constant, constant});
  }
  return c;
}

}  // namespace

TEST_CASE("norms of sums of all widths, types and teams are those of the reference, with all their results") {
  const int64_t width = GENERATE(1, 3, 7, 16, 33, 64, 100, 769, 5000);
  const DataType dtype = GENERATE(DT_FLOAT, DT_FLOAT16, DT_BF16);
  const double tolerance = dtype == DT_FLOAT ? 3e-6 : dtype == DT_FLOAT16 ? 2e-3 : 1.6e-2;
  const bool constant = width % 2 == 0;
  const Shape x = {5, 13, width}, row = {width}, matrix = {13, width};
  for (const size_t outputs : {1, 2, 3, 4}) {
    for (const Shape* bias : {static_cast<const Shape*>(nullptr), &row, &x}) {
      KernelCase layer = SumCase(true, x, row, bias, dtype, constant);
      layer.threads = width > 64 ? 3 : 1;
      layer.outputs = outputs;
      CheckAgainstReference(layer, tolerance);
    }
    if (outputs == 4) continue;
    KernelCase rms = SumCase(false, x, matrix, nullptr, dtype, constant);
    rms.outputs = outputs;
    CheckAgainstReference(rms, tolerance);
  }
}

TEST_CASE("results of a norm that nobody reads are not written") {
  const DataType dtype = GENERATE(DT_FLOAT, DT_FLOAT16);
  const double tolerance = dtype == DT_FLOAT ? 3e-6 : 2e-3;
  for (int read = 1; read < 16; ++read) {
    const std::vector<bool> unread = {(read & 1) == 0, (read & 2) == 0, (read & 4) == 0, (read & 8) == 0};
    KernelCase layer = SumCase(true, {40, 500}, {500}, nullptr, dtype, true);
    layer.outputs = 4;
    layer.unread = unread;
    layer.threads = 2;
    CheckAgainstReference(layer, tolerance);
    KernelCase rms = SumCase(false, {40, 500}, {500}, nullptr, dtype, true);
    rms.outputs = 3;
    rms.unread = unread;
    CheckAgainstReference(rms, tolerance);
  }
  KernelCase c = Case("LayerNormV3", "begin_norm_axis", {7, 33}, {33}, DT_FLOAT, true);
  c.outputs = 3;
  c.unread = {true, true, false};
  CheckAgainstReference(c, 3e-6);
}

TEST_CASE("statistics of float norms are those of the reference") {
  const int64_t width = GENERATE(1, 9, 100);
  for (const char* type : {"LayerNorm", "LayerNormV3"}) {
    KernelCase c = Case(type, "begin_norm_axis", {7, width}, {width}, DT_FLOAT, true);
    c.outputs = 3;
    CheckAgainstReference(c, 3e-6);
  }
  KernelCase c = Case("onnx::LayerNormalization", "axis", {7, width}, {width}, DT_FLOAT16, true);
  c.outputs = 3;
  CheckAgainstReference(c, 2e-3);
  KernelCase rms = Case("RmsNorm", nullptr, {7, width}, {width}, DT_FLOAT, true);
  rms.inputs.resize(2);
  rms.outputs = 2;
  CheckAgainstReference(rms, 3e-6);
}

TEST_CASE("a large mean costs a layer norm no digits") {
  KernelCase c = Case("LayerNormV3", "begin_norm_axis", {4, 777}, {777}, DT_FLOAT, true);
  c.inputs[0] = RandomFloats({4, 777}, 1, 1000, 1001);
  CheckAgainstReference(c, 1e-3);  // as far as the rounding of the input allows
}

TEST_CASE("norms of groups of channels are those of the reference") {
  const int64_t inner = GENERATE(1, 5, 16, 129);
  const DataType dtype = GENERATE(DT_FLOAT, DT_FLOAT16);
  const double tolerance = dtype == DT_FLOAT ? 3e-6 : 3e-3;
  KernelCase group = Case("GroupNormV2", nullptr, {3, 12, inner, 3}, {12}, dtype, true);
  group.set_attrs = [](Node& node) {
    node.attrs.Set("num_groups", 4);
    node.attrs.Set("data_format", "NCHW");
  };
  group.threads = 2;
  CheckAgainstReference(group, tolerance);
  KernelCase instance = Case("InstanceNorm", nullptr, {3, 6, inner}, {6}, dtype, false);
  instance.set_attrs = [](Node& node) { node.attrs.Set("data_format", "NCHW"); };
  if (inner > 1) CheckAgainstReference(instance, tolerance);
}
