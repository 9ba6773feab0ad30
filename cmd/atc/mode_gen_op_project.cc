// --gen_op_project: writes a project of an operator of one's own, with its aclnn functions, build and test.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cmd/atc/op_prototype.h"
#include "cmd/atc/paths.h"
#include "cmd/atc/run.h"

namespace atc::cli {
namespace {

namespace fs = std::filesystem;

// `text` with each %KEY% as `values` says.
std::string Fill(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [key, value] : values) {
    const std::string mark = "%" + key + "%";
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

std::string Named(std::string words, const std::string& name) {
  for (size_t at = words.find('%'); at != std::string::npos; at = words.find('%', at + name.size())) words.replace(at, 1, name);
  return words;
}

constexpr char kKernelHeader[] = R"(// %TYPE%: what the project asks of its kernel.
#pragma once

%USE% "register/custom_operator.h"

// Types and shapes of the outputs from those of the inputs.
ge::Status Infer%TYPE%(ge::OperatorInferContext& ctx);
// The outputs from the inputs, on the CPU.
ge::Status Compute%TYPE%(ge::OperatorKernelContext& ctx);
)";

constexpr char kKernelSource[] = R"(// %TYPE%: inference and kernel. As written, every output has the type and shape of the first input, and is a copy of it:
// put the operator's own in its place.
%USE% "%SNAKE%.h"

%USE% <cstring>

ge::Status Infer%TYPE%(ge::OperatorInferContext& ctx) {
  for (size_t i = 0; i < ctx.OutputCount(); ++i) ctx.SetOutput(i, ctx.InputType(0), ctx.InputShape(0));
  return ge::SUCCESS;
}

ge::Status Compute%TYPE%(ge::OperatorKernelContext& ctx) {
  const ge::Shape shape = ctx.InputShape(0);
  const int64_t count = shape.GetDims().empty() ? 1 : shape.GetShapeSize();
  const size_t bytes = static_cast<size_t>(count) * static_cast<size_t>(ge::GetSizeByDataType(ctx.InputType(0)));
  for (size_t i = 0; i < ctx.OutputCount(); ++i) {
    std::memcpy(ctx.MakeOutput(i, ctx.InputType(0), shape), ctx.InputData(0), bytes);
  }
  return ge::SUCCESS;
}
)";

constexpr char kDefinition[] = R"(// %TYPE%: the definition. ONNX nodes of %DOMAIN%::%ONNX% become this operator.
%USE% "../op_kernel/%SNAKE%.h"

REGISTER_CUSTOM_OPERATOR("%TYPE%")
%PORTS%    .Precision(ge::OperatorPrecision::%PRECISION%)
    .InferFn(Infer%TYPE%)
    .KernelFn(Compute%TYPE%)
    .FromOnnx("%DOMAIN%", "%ONNX%", %VERSION%);
)";

constexpr char kApiHeader[] = R"(/* Both phases of %TYPE%. */
#ifndef CUSTOM_ACLNN_%UPPER%_H_
#define CUSTOM_ACLNN_%UPPER%_H_

%USE% "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnn%TYPE%GetWorkspaceSize(%PARAMETERS%uint64_t *workspaceSize,
    aclOpExecutor **executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnn%TYPE%(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
    aclrtStream stream);

#ifdef __cplusplus
}
#endif
#endif /* CUSTOM_ACLNN_%UPPER%_H_ */
)";

constexpr char kApiSource[] = R"(%USE% "aclnn_%SNAKE%.h"

%USE% <vector>

%USE% "aclnn/openatc_op.h"

aclnnStatus aclnn%TYPE%GetWorkspaceSize(%PARAMETERS%uint64_t *workspaceSize, aclOpExecutor **executor) {
  std::vector<const aclTensor *> allInputs = {%INPUTS%};
  std::vector<aclTensor *> allOutputs = {%OUTPUTS%};
%LISTS%  aclopAttr *opAttr = aclopCreateAttr();
%SETTERS%  const aclnnStatus callStatus = openatcOpGetWorkspaceSize("%TYPE%", allInputs.data(), allInputs.size(), allOutputs.data(),
                                                           allOutputs.size(), opAttr, workspaceSize, executor);
  aclopDestroyAttr(opAttr);
  return callStatus;
}

aclnnStatus aclnn%TYPE%(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream) {
  return openatcOpRun("%TYPE%", workspace, workspaceSize, executor, stream);
}
)";

constexpr char kBuild[] = R"(# cmake -S . -B build -DASCEND_PATH=<where OpenATC is installed> && cmake --build build && ctest --test-dir build
cmake_minimum_required(VERSION 3.14)
project(%SNAKE% LANGUAGES CXX)

set(ASCEND_PATH "$ENV{ASCEND_HOME_PATH}" CACHE PATH "Where OpenATC is installed")
find_library(OPENATC openatc PATHS ${ASCEND_PATH}/lib64 NO_DEFAULT_PATH REQUIRED)
find_library(ASCENDCL ascendcl PATHS ${ASCEND_PATH}/lib64 NO_DEFAULT_PATH REQUIRED)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
include_directories(${ASCEND_PATH}/include)

# The operator: ASCEND_CUSTOM_OPP_PATH names build/opp.
add_library(custom_operator MODULE op_host/%SNAKE%.cc op_kernel/%SNAKE%.cc)
set_target_properties(custom_operator PROPERTIES PREFIX "" OUTPUT_NAME %SNAKE% LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/opp/custom_operators)
target_link_libraries(custom_operator PRIVATE ${OPENATC})

# Its calls: header and library in build/op_api.
add_library(cust_opapi SHARED op_api/aclnn_%SNAKE%.cc)
set_target_properties(cust_opapi PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/op_api BUILD_RPATH ${ASCEND_PATH}/lib64)
target_link_libraries(cust_opapi PRIVATE ${ASCENDCL})
configure_file(op_api/aclnn_%SNAKE%.h ${CMAKE_BINARY_DIR}/op_api/aclnn_%SNAKE%.h COPYONLY)

enable_testing()
add_executable(first_call test/%SNAKE%_test.cc)
target_include_directories(first_call PRIVATE op_api)
target_link_libraries(first_call PRIVATE cust_opapi ${ASCENDCL})
add_test(NAME %SNAKE% COMMAND first_call)
set_tests_properties(%SNAKE% PROPERTIES ENVIRONMENT ASCEND_CUSTOM_OPP_PATH=${CMAKE_BINARY_DIR}/opp)
)";

constexpr char kTest[] = R"(// The operator is found, takes tensors of 2 x 3 elements, and runs.
%USE% "aclnn_%SNAKE%.h"

%USE% <cstdio>
%USE% <vector>

namespace first_call {

aclTensor *MakeTensor(aclDataType type) {
  const int64_t dims[] = {2, 3};
  void *data = nullptr;
  const size_t bytes = 6 * aclDataTypeSize(type);
  aclrtMalloc(&data, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemset(data, bytes, 0, bytes);
  return aclCreateTensor(dims, 2, type, nullptr, 0, ACL_FORMAT_ND, dims, 2, data);
}

int Check(int code, const char *what) {
  if (code == 0) return 0;
  const char *why = aclGetRecentErrMsg();
  std::printf("%s: %d %s\n", what, code, why == nullptr ? "" : why);
  return 1;
}

}  // namespace first_call

int main() {
  if (first_call::Check(aclrtSetDevice(0), "aclrtSetDevice") != 0) return 1;
  uint64_t workspaceSize = 0;
  aclOpExecutor *executor = nullptr;
%TENSORS%  if (first_call::Check(aclnn%TYPE%GetWorkspaceSize(%ARGUMENTS%&workspaceSize, &executor), "phase 1") != 0) return 1;
  void *workspace = nullptr;
  if (workspaceSize > 0 && first_call::Check(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc") != 0) return 1;
  if (first_call::Check(aclnn%TYPE%(workspace, workspaceSize, executor, nullptr), "phase 2") != 0) return 1;
  if (first_call::Check(aclrtSynchronizeStream(nullptr), "aclrtSynchronizeStream") != 0) return 1;
  std::printf("%TYPE% ran\n");
  return first_call::Check(aclrtResetDevice(0), "aclrtResetDevice");
}
)";

constexpr char kReadme[] = R"(# %TYPE%

| place | what it is |
|---|---|
| `op_kernel/%SNAKE%.cc` | inference and kernel: yours to write |
| `op_host/%SNAKE%.cc` | the definition: inputs, outputs, attributes, and ONNX's `%DOMAIN%::%ONNX%` |
| `op_api/` | `aclnn%TYPE%GetWorkspaceSize` and `aclnn%TYPE%` |
| `test/` | a first call |

```
cmake -S . -B build -DASCEND_PATH=<where OpenATC is installed> && cmake --build build && ctest --test-dir build
export ASCEND_CUSTOM_OPP_PATH=$PWD/build/opp
```

The operator is then there for programs (`build/op_api`), for models that `atc` converts, and for pyasc.
)";

std::string Ports(const OpPrototype& op) {
  std::string text;
  const auto add = [&](const std::vector<OpPrototype::Tensor>& tensors, const char* side) {
    for (const OpPrototype::Tensor& tensor : tensors) {
      const char* kind = tensor.kind == OpPrototype::Port::kRequired ? "" : tensor.kind == OpPrototype::Port::kOptional ? "Optional" : "Dynamic";
      std::vector<std::string> types;
      for (const std::string& type : tensor.types) {
        if (std::find(types.begin(), types.end(), "ge::" + type) == types.end()) types.push_back("ge::" + type);
      }
      text += fmt::format("    .{}{}(\"{}\"{})\n", kind, side, tensor.name, types.empty() ? "" : fmt::format(", {{{}}}", fmt::join(types, ", ")));
    }
  };
  add(op.inputs, "Input");
  add(op.outputs, "Output");
  for (const OpPrototype::Attr& attr : op.attrs) {
    const char* cpp = WordsOf(attr.type).cpp;
    text += attr.required ? fmt::format("    .RequiredAttr<{}>(\"{}\")\n", cpp, attr.name)
                          : fmt::format("    .Attr(\"{}\", {})\n", attr.name, attr.type == "string" ? fmt::format("ge::AscendString({})", attr.fallback) : attr.fallback);
  }
  return text;
}

bool TakesHalf(const OpPrototype& op) {
  for (const OpPrototype::Tensor& tensor : op.inputs) {
    for (const std::string& type : tensor.types) {
      if (type == "DT_FLOAT16" || type == "DT_BF16") return true;
    }
  }
  return false;
}

// The aclDataType of a tensor in the first way of calling.
std::string AclType(const OpPrototype::Tensor& tensor) {
  const std::string type = tensor.types.empty() ? "DT_FLOAT" : tensor.types[0];
  return "ACL_" + type.substr(3);
}

std::vector<std::pair<std::string, std::string>> Values(const OpPrototype& op) {
  std::string parameters, inputs, outputs, lists, setters, tensors, arguments;
  const auto port = [&](const OpPrototype::Tensor& tensor, bool input) {
    const bool dynamic = tensor.kind == OpPrototype::Port::kDynamic;
    const std::string pointer = input ? "const aclTensor *" : "aclTensor *";
    parameters += dynamic ? fmt::format("{}const *{}, uint64_t {}Num, ", pointer, tensor.name, tensor.name) : pointer + tensor.name + ", ";
    std::string& list = input ? inputs : outputs;
    if (dynamic) lists += fmt::format("  {}.insert({}.end(), {}, {} + {}Num);\n", input ? "allInputs" : "allOutputs", input ? "allInputs" : "allOutputs", tensor.name, tensor.name, tensor.name);
    else list += (list.empty() ? "" : ", ") + tensor.name;
    if (dynamic) {
      tensors += fmt::format("  {} {}[] = {{first_call::MakeTensor({})}};\n", input ? "const aclTensor *" : "aclTensor *", tensor.name, AclType(tensor));
      arguments += tensor.name + ", 1, ";
    } else {
      tensors += fmt::format("  aclTensor *{} = first_call::MakeTensor({});\n", tensor.name, AclType(tensor));
      arguments += tensor.name + ", ";
    }
  };
  for (const OpPrototype::Tensor& tensor : op.inputs) port(tensor, true);
  for (const OpPrototype::Attr& attr : op.attrs) {
    const AttrWords& words = WordsOf(attr.type);
    parameters += Named(words.parameter, attr.name) + ", ";
    setters += "  " + Named(words.setter, attr.name) + ";\n";
    const std::string value = attr.type == "string" ? "\"\"" : attr.type == "bool" ? "false" : attr.type.starts_with("list") ? "nullptr, 0" : "1";
    arguments += (attr.required || attr.type.starts_with("list") || attr.type == "string" || attr.type == "bool" ? (attr.type == "string" && !attr.required ? attr.fallback : value) : attr.fallback) + ", ";
  }
  for (const OpPrototype::Tensor& tensor : op.outputs) port(tensor, false);
  const std::string snake = SnakeCase(op.type);
  std::string upper = snake;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return {{"USE", "#include"}, {"TYPE", op.type}, {"SNAKE", snake}, {"UPPER", upper}, {"DOMAIN", op.domain}, {"ONNX", op.onnx_type}, {"VERSION", std::to_string(op.version)},
          {"PORTS", Ports(op)}, {"PRECISION", TakesHalf(op) ? "kHalfToo" : "kAsModel"}, {"PARAMETERS", parameters}, {"INPUTS", inputs}, {"OUTPUTS", outputs},
          {"LISTS", lists}, {"SETTERS", setters}, {"TENSORS", tensors}, {"ARGUMENTS", arguments}};
}

}  // namespace

void GenerateOpProject(Run& run) {
  const std::string description = run.flags.Get("gen_op_project");
  CheckInputFile("gen_op_project", description);
  const OpPrototype op = ReadOpPrototype(description);
  const fs::path folder = run.flags.IsSet("output") ? fs::path(run.flags.Get("output")) : fs::path(SnakeCase(op.type));
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    throw Error("E10001", {{"value", folder.string()}, {"parameter", "--output"}, {"reason", "The folder exists and is not empty."}}, "Name a new folder.");
  }
  run.Step("write the project");
  const auto values = Values(op);
  const std::string snake = SnakeCase(op.type);
  const std::pair<std::string, const char*> files[] = {
      {"CMakeLists.txt", kBuild}, {"README.md", kReadme}, {"op_api/aclnn_" + snake + ".cc", kApiSource}, {"op_api/aclnn_" + snake + ".h", kApiHeader},
      {"op_host/" + snake + ".cc", kDefinition}, {"op_kernel/" + snake + ".cc", kKernelSource}, {"op_kernel/" + snake + ".h", kKernelHeader},
      {"test/" + snake + "_test.cc", kTest}};
  for (const auto& [name, text] : files) {
    const fs::path path = folder / name;
    fs::create_directories(path.parent_path(), error);
    std::ofstream file(path, std::ios::binary);
    file << Fill(text, values);
    if (!file.flush()) throw Error("E10001", {{"value", path.string()}, {"parameter", "--output"}, {"reason", "The file cannot be written."}}, "Name another folder.");
  }
  run.console.Print(fmt::format("{}: a project of operator {}, {} files; see README.md there\n", folder.string(), op.type, std::size(files)));
}

}  // namespace atc::cli
