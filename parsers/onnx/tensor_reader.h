// From TensorProto skeletons and the places of their data to tensors.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/tensor.h"
#include "parsers/model_file.h"
#include "parsers/onnx/scanner.h"

namespace onnx {
class SparseTensorProto;
class TensorProto;
}  // namespace onnx

namespace atc::onnx_parser {

class TensorReader {
 public:
  TensorReader(std::shared_ptr<const ModelFile> file, std::vector<TensorPayload> payloads)
      : file_(std::move(file)), payloads_(std::move(payloads)) {}

  // Raw data, packed floats and doubles and external data that are aligned for their type become windows of the file.
  // What is misaligned is copied, other typed fields are decoded: at once when small, else as a deferred tensor.
  // Errors (E13014) name the tensor, its type and shape, and the bytes or elements found and wanted; external data
  // outside of the model's folder are refused.
  Tensor Read(const onnx::TensorProto& proto);
  // Dense, as the operators of this project are.
  Tensor ReadSparse(const onnx::SparseTensorProto& proto);

 private:
  Tensor ReadExternal(const onnx::TensorProto& proto, DataType dtype, const Shape& shape);
  std::shared_ptr<const ModelFile> ExternalFile(const onnx::TensorProto& proto, const std::string& location);

  std::shared_ptr<const ModelFile> file_;
  std::vector<TensorPayload> payloads_;
  std::map<std::string, std::shared_ptr<const ModelFile>> external_;
};

}  // namespace atc::onnx_parser
