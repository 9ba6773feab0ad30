// acl_meta.h: the tensors of an operator that a program runs by itself, put into the dump that is under way.
#include <atomic>
#include <filesystem>
#include <stdexcept>

#include "backend/acl/dump.h"
#include "backend/acl/handles.h"
#include "backend/acl/objects.h"
#include "backend/aclnn/executor.h"
#include "backend/aclnn/strided_copy.h"

using namespace atc::aclnn;
using atc::acl::DumpFile;
using atc::acl::Fail;
using atc::acl::OperatorDump;
using atc::runtime::Stream;
using atc::runtime::Task;

namespace {

struct Dumped {
  std::string name;  // for messages
  bool input = false;
  View view;
  const void* address = nullptr;
};

aclnnStatus Null(const std::string& name) {
  return Fail(ACLNN_ERR_PARAM_NULLPTR, "aclDumpOpTensors: argument " + name + " is NULL");
}

aclnnStatus Collect(aclTensor** tensors, size_t inputs, size_t outputs, std::vector<Dumped>* all) {
  for (size_t i = 0; i < inputs + outputs; ++i) {
    Dumped each;
    each.name = "tensors[" + std::to_string(i) + "]";
    each.input = i < inputs;
    if (tensors[i] == nullptr) return Null(each.name);
    const auto tensor = Tensors().Find(tensors[i]);
    if (!tensor) return Fail(ACLNN_ERR_PARAM_NULLPTR, "aclDumpOpTensors: argument " + each.name + " is no tensor that is alive");
    each.view = tensor->CopyView();
    each.address = tensor->CopyData();
    const atc::DataType dtype = each.view.dtype;
    const bool placed = dtype != atc::DT_UNDEFINED && dtype != atc::DT_STRING && dtype != atc::DT_VARIANT &&
                        (atc::DataTypeBits(dtype) >= 8 || each.view.contiguous());
    if (!placed || !atc::acl::TensorBytes(dtype, each.view.shape)) {
      return Fail(ACLNN_ERR_PARAM_INVALID, "aclDumpOpTensors: argument " + each.name + " has type " +
                                               std::string(DataTypeName(dtype)) + ", whose elements have no fixed place in memory");
    }
    all->push_back(std::move(each));
  }
  return ACLNN_SUCCESS;
}

// On the stream's thread, when what came before has been done.
aclError Write(const OperatorDump& dump, const std::string& type, const std::string& name, uint32_t task,
               const std::vector<Dumped>& tensors, const Stream& stream) {
  if (dump.callback == nullptr) std::filesystem::create_directories(dump.folder);
  DumpFile file(dump.folder, dump.callback);
  file.Open(type, name, task, stream.id());
  for (const Dumped& tensor : tensors) {
    if (!(tensor.input ? dump.inputs : dump.outputs)) continue;
    if (const aclError code = CheckAddress(tensor.name, tensor.view, tensor.address); code != ACL_SUCCESS) return code;
    std::string bytes(*atc::acl::TensorBytes(tensor.view.dtype, tensor.view.shape), '\0');
    if (!bytes.empty()) CopyFromView(tensor.view, tensor.address, bytes.data());
    file.Add(tensor.input, tensor.view.dtype, static_cast<atc::Format>(tensor.view.format), tensor.view.shape, bytes);
  }
  file.Close();
  return ACL_SUCCESS;
}

}  // namespace

aclnnStatus aclDumpOpTensors(const char* opType, const char* opName, aclTensor** tensors, size_t inputTensorNum,
                             size_t outputTensorNum, aclrtStream stream) {
  return atc::acl::Guard(
      [&]() -> aclnnStatus {
        if (opType == nullptr) return Null("opType");
        if (opName == nullptr) return Null("opName");
        if (tensors == nullptr) return Null("tensors");
        std::vector<Dumped> all;
        if (const aclnnStatus code = Collect(tensors, inputTensorNum, outputTensorNum, &all); code != ACLNN_SUCCESS) return code;
        std::shared_ptr<Stream> on;
        if (atc::acl::FindStream(stream, &on) != ACL_SUCCESS) return ACLNN_ERR_RUNTIME_ERROR;
        auto dump = atc::acl::DumpOfOperators(on->device().id());
        if (!dump) return ACLNN_SUCCESS;
        static std::atomic<uint32_t> last_task{0};
        Task task;
        task.run = [dump = std::move(*dump), type = std::string(opType), name = std::string(opName), number = ++last_task,
                    all = std::move(all)](Stream& self) -> aclError {
          return atc::acl::Guard([&] { return Write(dump, type, name, number, all, self); }, ACL_ERROR_WRITE_FILE,
                                 "aclDumpOpTensors");
        };
        return on->Enqueue(std::move(task)) == ACL_SUCCESS ? ACLNN_SUCCESS : ACLNN_ERR_RUNTIME_ERROR;
      },
      ACLNN_ERR_INNER);
}
