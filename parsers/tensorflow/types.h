// TensorFlow's numbers of element types, its shapes, and its tensors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/tensor.h"
#include "parsers/wire_scanner.h"

namespace openatc::tensorflow {
class ShapeProto;
class TensorProto;
}  // namespace openatc::tensorflow

namespace atc::tf_parser {

namespace proto = ::openatc::tensorflow;

// Quantised types are the integers that they are stored as, references (100 and above) what they refer to; resources and
// variants are DT_VARIANT. DT_UNDEFINED for a number that is none.
DataType DataTypeFromTf(int number);
// The inverse for the types that TensorFlow has; 0 for others.
int TfNumber(DataType dtype);

// Unknown dims are -1. A shape that is not set is a scalar in the format, as here.
Shape ShapeFrom(const proto::ShapeProto& shape);

class TensorReader {
 public:
  TensorReader(std::shared_ptr<const ModelFile> file, std::vector<TensorPayload> payloads)
      : file_(std::move(file)), payloads_(std::move(payloads)) {}

  // All encodings: bytes as they are (a window of the file), lists of numbers, and lists that are shorter than the shape
  // asks for, whose last number is repeated (none: zeros). Errors (E13014) name the node, type, shape and the elements
  // found and wanted.
  Tensor Read(const proto::TensorProto& tensor, const std::string& node) const;

 private:
  std::shared_ptr<const ModelFile> file_;
  std::vector<TensorPayload> payloads_;
};

}  // namespace atc::tf_parser
