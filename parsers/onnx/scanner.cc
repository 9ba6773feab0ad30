#include "parsers/onnx/scanner.h"

namespace atc::onnx_parser {
namespace {

enum Kind : uint8_t { kModel, kGraph, kNode, kAttribute, kTensor, kSparse, kFunction, kSequence, kOptional };

constexpr ScanRule kRules[] = {
    {kModel, 6, Take::kDrop},  // doc_string
    {kModel, 7, Take::kMessage, kGraph},  // graph
    {kModel, 20, Take::kDrop},  // training_info
    {kModel, 25, Take::kMessage, kFunction},  // functions
    {kGraph, 1, Take::kMessage, kNode},  // node
    {kGraph, 5, Take::kMessage, kTensor},  // initializer
    {kGraph, 10, Take::kDrop},  // doc_string
    {kGraph, 15, Take::kMessage, kSparse},  // sparse_initializer
    {kNode, 5, Take::kMessage, kAttribute},  // attribute
    {kNode, 6, Take::kDrop},  // doc_string
    {kAttribute, 5, Take::kMessage, kTensor},  // t
    {kAttribute, 6, Take::kMessage, kGraph},  // g
    {kAttribute, 10, Take::kMessage, kTensor},  // tensors
    {kAttribute, 11, Take::kMessage, kGraph},  // graphs
    {kAttribute, 13, Take::kDrop},  // doc_string
    {kAttribute, 22, Take::kMessage, kSparse},  // sparse_tensor
    {kAttribute, 23, Take::kMessage, kSparse},  // sparse_tensors
    {kTensor, 3, Take::kRefuse},  // segment
    {kTensor, 4, Take::kNumbers, kFixed32},  // float_data
    {kTensor, 5, Take::kNumbers, kVarint},  // int32_data
    {kTensor, 6, Take::kStrings},  // string_data
    {kTensor, 7, Take::kNumbers, kVarint},  // int64_data
    {kTensor, 9, Take::kRaw},  // raw_data
    {kTensor, 10, Take::kNumbers, kFixed64},  // double_data
    {kTensor, 11, Take::kNumbers, kVarint},  // uint64_data
    {kTensor, 12, Take::kDrop},  // doc_string
    {kSparse, 1, Take::kMessage, kTensor},  // values
    {kSparse, 2, Take::kMessage, kTensor},  // indices
    {kFunction, 7, Take::kMessage, kNode},  // node
    {kFunction, 8, Take::kDrop},  // doc_string
    {kFunction, 11, Take::kMessage, kAttribute},  // attribute_proto
    {kSequence, 3, Take::kMessage, kTensor},  // tensor_values
    {kSequence, 4, Take::kMessage, kSparse},  // sparse_tensor_values
    {kSequence, 5, Take::kMessage, kSequence},  // sequence_values
    {kSequence, 7, Take::kMessage, kOptional},  // optional_values
    {kOptional, 3, Take::kMessage, kTensor},  // tensor_value
    {kOptional, 4, Take::kMessage, kSparse},  // sparse_tensor_value
    {kOptional, 5, Take::kMessage, kSequence},  // sequence_value
    {kOptional, 7, Take::kMessage, kOptional},  // optional_value
};

// TensorProto.segment, the format's own use of which is refused: Segment.begin is the number.
void Mark(std::string* message, uint64_t number) {
  std::string segment = "\x08";
  AppendVarint(&segment, number);
  message->push_back('\x1A');
  AppendVarint(message, segment.size());
  message->append(segment);
}

constexpr ScanFormat kFormat = {kRules, kTensor, Mark,
                                "a tensor is stored in parts (TensorProto.segment), which is not supported"};

constexpr Kind KindOf(Message message) {
  switch (message) {
    case Message::kTensor: return kTensor;
    case Message::kSequence: return kSequence;
    case Message::kOptional: return kOptional;
    case Message::kModel: break;
  }
  return kModel;
}

}  // namespace

ScannedFile Scan(const ModelFile& file, Message message) { return ScanFile(file, kFormat, KindOf(message)); }

}  // namespace atc::onnx_parser
