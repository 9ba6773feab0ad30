// z = x op y for [8, 2048] fp16: reads input/input_x.bin and input/input_y.bin, writes output/output_z.bin.
//
// usage: execute_op Add|Mul|Sub|AddCustom
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_sub.h"
#include "op_runner.h"
#ifdef WITH_CUSTOM
#include "aclnn_add_custom.h"
#endif

namespace {

using Tensors = std::vector<aclTensor*>;

// alpha of z = x + alpha * y; phase 1 copies it.
template <class Phase1>
auto WithAlpha(Phase1 phase_1) {
  return [phase_1](const Tensors& in, const Tensors& out, uint64_t* size, aclOpExecutor** executor) {
    float one = 1;
    aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
    const aclnnStatus status = phase_1(in[0], in[1], alpha, out[0], size, executor);
    aclDestroyScalar(alpha);
    return status;
  };
}

template <class Phase1>
auto Plain(Phase1 phase_1) {
  return [phase_1](const Tensors& in, const Tensors& out, uint64_t* size, aclOpExecutor** executor) {
    return phase_1(in[0], in[1], out[0], size, executor);
  };
}

const std::map<std::string, OperatorCall>& Calls() {
  static const std::map<std::string, OperatorCall> calls = {
      {"Add", {WithAlpha(aclnnAddGetWorkspaceSize), aclnnAdd}},
      {"Mul", {Plain(aclnnMulGetWorkspaceSize), aclnnMul}},
      {"Sub", {WithAlpha(aclnnSubGetWorkspaceSize), aclnnSub}},
#ifdef WITH_CUSTOM
      {"AddCustom", {Plain(aclnnAddCustomGetWorkspaceSize), aclnnAddCustom}},
#endif
  };
  return calls;
}

bool ReadFile(const char* path, void* buffer, size_t bytes) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || static_cast<size_t>(file.tellg()) != bytes) {
    std::fprintf(stderr, "[ERROR] %s is no file of %zu bytes\n", path, bytes);
    return false;
  }
  file.seekg(0);
  return static_cast<bool>(file.read(static_cast<char*>(buffer), static_cast<std::streamsize>(bytes)));
}

bool WriteFile(const char* path, const void* buffer, size_t bytes) {
  std::ofstream file(path, std::ios::binary);
  if (file.write(static_cast<const char*>(buffer), static_cast<std::streamsize>(bytes))) return true;
  std::fprintf(stderr, "[ERROR] %s cannot be written\n", path);
  return false;
}

bool RunOperator(const std::string& name, const OperatorCall& call) {
  const std::vector<int64_t> shape = {8, 2048};
  OperatorDesc desc(name);
  desc.AddInputTensorDesc(ACL_FLOAT16, shape, ACL_FORMAT_ND)
      .AddInputTensorDesc(ACL_FLOAT16, shape, ACL_FORMAT_ND)
      .AddOutputTensorDesc(ACL_FLOAT16, shape, ACL_FORMAT_ND);
  OpRunner runner(desc, call);
  const size_t bytes = desc.inputs()[0].Bytes();
  return runner.Init() && ReadFile("input/input_x.bin", runner.InputBuffer(0), bytes) &&
         ReadFile("input/input_y.bin", runner.InputBuffer(1), bytes) && runner.RunOp() &&
         WriteFile("output/output_z.bin", runner.OutputBuffer(0), bytes);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "Add";
  const auto call = Calls().find(name);
  if (call == Calls().end()) {
    std::fprintf(stderr, "[ERROR] no operator '%s' here\n", name.c_str());
    return 1;
  }
  if (!Succeeded(aclInit(nullptr), "aclInit") || !Succeeded(aclrtSetDevice(0), "aclrtSetDevice")) return 1;
  const bool good = RunOperator(name, call->second);
  const bool ended = Succeeded(aclrtResetDevice(0), "aclrtResetDevice") && Succeeded(aclFinalize(), "aclFinalize");
  if (good && ended) std::printf("[INFO] %s ran\n", name.c_str());
  return good && ended ? 0 : 1;
}
