#include "parsers/onnx/value_file.h"

#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include "compiler/ir/error.h"
#include "parsers/model_file.h"
#include "parsers/onnx/scanner.h"
#include "parsers/onnx/tensor_reader.h"

namespace atc {
namespace {

using namespace onnx_parser;

template <typename Proto>
Proto ParseSkeleton(const ModelFile& file, const ScannedFile& scanned) {
  Proto proto;
  if (!proto.ParseFromString(scanned.skeleton)) {
    throw Error("E13005", {{"file", file.path()}, {"reason", "a message within it is damaged"}});
  }
  return proto;
}

// OptionalProto holds one value in the fields in which SequenceProto holds many: what is written as the one reads as
// the other.
Tensor Convert(const onnx::SequenceProto& sequence, TensorReader* reader) {
  std::vector<Tensor> values;
  for (const onnx::TensorProto& tensor : sequence.tensor_values())
    values.push_back(reader->Read(tensor).Materialized());
  for (const onnx::SparseTensorProto& tensor : sequence.sparse_tensor_values()) {
    values.push_back(reader->ReadSparse(tensor));
  }
  for (const onnx::SequenceProto& nested : sequence.sequence_values()) values.push_back(Convert(nested, reader));
  return Tensor::From(DT_VARIANT, {static_cast<int64_t>(values.size())}, values);
}

}  // namespace

Tensor ReadTensorFile(const std::string& path) {
  const std::shared_ptr<const ModelFile> file = ModelFile::MapReferenced(path);
  ScannedFile scanned = Scan(*file, Message::kTensor);
  const auto proto = ParseSkeleton<onnx::TensorProto>(*file, scanned);
  return TensorReader(file, std::move(scanned.payloads)).Read(proto).Materialized();
}

Tensor ReadVariantFile(const std::string& path) {
  const std::shared_ptr<const ModelFile> file = ModelFile::MapReferenced(path);
  ScannedFile scanned = Scan(*file, Message::kSequence);
  const auto proto = ParseSkeleton<onnx::SequenceProto>(*file, scanned);
  TensorReader reader(file, std::move(scanned.payloads));
  return Convert(proto, &reader);
}

}  // namespace atc
