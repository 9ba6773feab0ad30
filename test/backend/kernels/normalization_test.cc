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
