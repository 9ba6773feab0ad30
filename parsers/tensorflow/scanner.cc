#include "parsers/tensorflow/scanner.h"

namespace atc::tf_parser {
namespace {

enum Kind : uint8_t {
  kGraph,
  kNode,
  kAttrEntry,
  kAttr,
  kList,
  kTensor,
  kNamedAttrs,
  kLibrary,
  kFunction,
  kSavedModel,
  kMetaGraph
};

constexpr ScanRule kRules[] = {
    {kGraph, 1, Take::kMessage, kNode},             // node
    {kGraph, 2, Take::kMessage, kLibrary},          // library
    {kGraph, 5, Take::kDrop},                       // debug_info
    {kNode, 5, Take::kMessage, kAttrEntry},         // attr
    {kNode, 6, Take::kDrop},                        // experimental_debug_info
    {kAttrEntry, 2, Take::kMessage, kAttr},         // value
    {kAttr, 1, Take::kMessage, kList},              // list
    {kAttr, 8, Take::kMessage, kTensor},            // tensor
    {kAttr, 10, Take::kMessage, kNamedAttrs},       // func
    {kList, 8, Take::kMessage, kTensor},            // tensor
    {kList, 9, Take::kMessage, kNamedAttrs},        // func
    {kNamedAttrs, 2, Take::kMessage, kAttrEntry},   // attr
    {kTensor, 4, Take::kRaw},                       // tensor_content
    {kTensor, 5, Take::kNumbers, kFixed32},         // float_val
    {kTensor, 6, Take::kNumbers, kFixed64},         // double_val
    {kTensor, 7, Take::kNumbers, kVarint},          // int_val
    {kTensor, 8, Take::kStrings},                   // string_val
    {kTensor, 9, Take::kNumbers, kFixed32},         // scomplex_val
    {kTensor, 10, Take::kNumbers, kVarint},         // int64_val
    {kTensor, 11, Take::kNumbers, kVarint},         // bool_val
    {kTensor, 12, Take::kNumbers, kFixed64},        // dcomplex_val
    {kTensor, 13, Take::kNumbers, kVarint},         // half_val
    {kTensor, 14, Take::kDrop},                     // resource_handle_val
    {kTensor, 15, Take::kDrop},                     // variant_val
    {kTensor, 16, Take::kNumbers, kVarint},         // uint32_val
    {kTensor, 17, Take::kNumbers, kVarint},         // uint64_val
    {kTensor, 18, Take::kRaw},                      // float8_val
    {kTensor, 100000, Take::kRefuse},               // payload
    {kLibrary, 1, Take::kMessage, kFunction},       // function
    {kLibrary, 2, Take::kDrop},                     // gradient
    {kFunction, 3, Take::kMessage, kNode},          // node_def
    {kFunction, 5, Take::kMessage, kAttrEntry},     // attr
    {kFunction, 7, Take::kDrop},                    // arg_attr
    {kSavedModel, 2, Take::kMessage, kMetaGraph},   // meta_graphs
    {kMetaGraph, 2, Take::kMessage, kGraph},        // graph_def
    {kMetaGraph, 4, Take::kDrop},                   // collection_def
};

void Mark(std::string* message, uint64_t number) {
  AppendVarint(message, uint64_t{100000} << 3 | kVarint);
  AppendVarint(message, number);
}

constexpr ScanFormat kFormat = {kRules, kTensor, Mark, "a tensor holds field 100000, which is no field of tensors"};

}  // namespace

ScannedFile Scan(const ModelFile& file, Message message) {
  return ScanFile(file, kFormat, message == Message::kGraphDef ? kGraph : kSavedModel);
}

}  // namespace atc::tf_parser
