// Names of the outputs of operators that have several, for functions, which refer to outputs by name.
#include <algorithm>
#include <string_view>

#include "parsers/tensorflow/graph_def.pb.h"
#include "parsers/tensorflow/source_graph.h"

namespace atc::tf_parser {
namespace {

struct Row {
  const char* op;
  const char* outputs;  // in order, one blank between them; "name*attr" is a list as long as the attribute says
};

// Sorted.
constexpr Row kRows[] = {
    {"ApproxTopK", "values indices"},
    {"BlockLSTM", "i cs f o ci co h"},
    {"BlockLSTMV2", "i cs f o ci co h"},
    {"BroadcastGradientArgs", "r0 r1"},
    {"CTCBeamSearchDecoder",
     "decoded_indices*top_paths decoded_values*top_paths decoded_shape*top_paths log_probability"},
    {"CTCGreedyDecoder", "decoded_indices decoded_values decoded_shape log_probability"},
    {"CombinedNonMaxSuppression", "nmsed_boxes nmsed_scores nmsed_classes valid_detections"},
    {"CudnnRNN", "output output_h output_c reserve_space"},
    {"CudnnRNNV2", "output output_h output_c reserve_space host_reserved"},
    {"CudnnRNNV3", "output output_h output_c reserve_space host_reserved"},
    {"FakeQuantWithMinMaxVarsGradient", "backprops_wrt_input backprop_wrt_min backprop_wrt_max"},
    {"FractionalAvgPool", "output row_pooling_sequence col_pooling_sequence"},
    {"FractionalMaxPool", "output row_pooling_sequence col_pooling_sequence"},
    {"FusedBatchNorm", "y batch_mean batch_variance reserve_space_1 reserve_space_2"},
    {"FusedBatchNormV2", "y batch_mean batch_variance reserve_space_1 reserve_space_2"},
    {"FusedBatchNormV3", "y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3"},
    {"GRUBlockCell", "r u c h"},
    {"GenerateBoundingBoxProposals", "rois roi_probabilities"},
    {"IsotonicRegression", "output segments"},
    {"LSTMBlockCell", "i cs f o ci co h"},
    {"ListDiff", "out idx"},
    {"LogMatrixDeterminant", "sign log_abs_determinant"},
    {"LookupTableExportV2", "keys values"},
    {"Lu", "lu p"},
    {"MaxPoolWithArgmax", "output argmax"},
    {"Merge", "output value_index"},
    {"NonMaxSuppressionV4", "selected_indices valid_outputs"},
    {"NonMaxSuppressionV5", "selected_indices selected_scores valid_outputs"},
    {"Qr", "q r"},
    {"QuantizeDownAndShrinkRange", "output output_min output_max"},
    {"QuantizeV2", "output output_min output_max"},
    {"QuantizedAdd", "z min_z max_z"},
    {"QuantizedAvgPool", "output min_output max_output"},
    {"QuantizedBiasAdd", "output min_out max_out"},
    {"QuantizedConcat", "output output_min output_max"},
    {"QuantizedConcatV2", "output output_min output_max"},
    {"QuantizedConv2D", "output min_output max_output"},
    {"QuantizedMatMul", "out min_out max_out"},
    {"QuantizedMaxPool", "output min_output max_output"},
    {"QuantizedMul", "z min_z max_z"},
    {"QuantizedRelu", "activations min_activations max_activations"},
    {"QuantizedRelu6", "activations min_activations max_activations"},
    {"QuantizedReshape", "output output_min output_max"},
    {"QuantizedResizeBilinear", "resized_images out_min out_max"},
    {"QuantizedConv2DPerChannel", "output min_output max_output"},
    {"QuantizedInstanceNorm", "y y_min y_max"},
    {"RaggedGather", "output_nested_splits*OUTPUT_RAGGED_RANK output_dense_values"},
    {"RaggedRange", "rt_nested_splits rt_dense_values"},
    {"RaggedTensorToSparse", "sparse_indices sparse_values sparse_dense_shape"},
    {"RefMerge", "output value_index"},
    {"RefSwitch", "output_false output_true"},
    {"Requantize", "output output_min output_max"},
    {"RequantizationRange", "output_min output_max"},
    {"SampleDistortedBoundingBoxV2", "begin size bboxes"},
    {"SelfAdjointEigV2", "e v"},
    {"SoftmaxCrossEntropyWithLogits", "loss backprop"},
    {"SparseAdd", "sum_indices sum_values sum_shape"},
    {"SparseConcat", "output_indices output_values output_shape"},
    {"SparseFillEmptyRows", "output_indices output_values empty_row_indicator reverse_index_map"},
    {"SparseReorder", "output_indices output_values"},
    {"SparseReshape", "output_indices output_shape"},
    {"SparseSlice", "output_indices output_values output_shape"},
    {"SparseSplit", "output_indices*num_split output_values*num_split output_shape*num_split"},
    {"SparseSoftmaxCrossEntropyWithLogits", "loss backprop"},
    {"StatelessRandomGetKeyCounter", "key counter"},
    {"StatelessRandomGetKeyCounterAlg", "key counter alg"},
    {"StringNGrams", "ngrams ngrams_splits"},
    {"StringSplit", "indices values shape"},
    {"StringSplitV2", "indices values shape"},
    {"Svd", "s u v"},
    {"Switch", "output_false output_true"},
    {"TensorArrayConcatV3", "value lengths"},
    {"TensorArrayV3", "handle flow"},
    {"TensorListConcat", "tensor lengths"},
    {"TensorListConcatV2", "tensor lengths"},
    {"TensorListPopBack", "output_handle tensor"},
    {"TopK", "values indices"},
    {"TopKV2", "values indices"},
    {"UnicodeDecode", "row_splits char_values"},
    {"UnicodeDecodeWithOffsets", "row_splits char_values char_to_byte_starts"},
    {"Unique", "y idx"},
    {"UniqueV2", "y idx"},
    {"UniqueWithCounts", "y idx count"},
    {"UniqueWithCountsV2", "y idx count"},
    {"_FusedBatchNormEx", "y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3"},
};


// How many outputs a list has: a number, or as many as there are types.
uint32_t LengthOf(const proto::NodeDef& node, const std::string& attr) {
  const auto it = node.attr().find(attr);
  if (it == node.attr().end()) return 1;
  const bool types = it->second.value_case() == proto::AttrValue::kList;
  const int64_t length = types ? it->second.list().type_size() : it->second.i();
  return static_cast<uint32_t>(std::clamp<int64_t>(length, 0, 1 << 20));
}

// Of a call of a function by its name.
uint32_t ResultOffset(const proto::NodeDef& node, const proto::FunctionDef& function, std::string_view result) {
  uint32_t number = 0;
  for (const proto::ArgDef& arg : function.signature().output_arg()) {
    if (arg.name() == result) return number;
    const std::string& attr = arg.number_attr().empty() ? arg.type_list_attr() : arg.number_attr();
    number += attr.empty() ? 1 : LengthOf(node, attr);
  }
  return 0;
}

}  // namespace

uint32_t OutputOffset(const proto::NodeDef& node, std::string_view output_name, const FunctionLibrary& library) {
  if (const auto called = library.find(node.op()); called != library.end()) {
    return ResultOffset(node, *called->second, output_name);
  }
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.op == node.op(); });
  if (row == std::end(kRows)) return 0;
  uint32_t number = 0;
  for (std::string_view rest = row->outputs; !rest.empty();) {
    const std::string_view output = rest.substr(0, rest.find(' '));
    const size_t star = output.find('*');
    if (output.substr(0, star) == output_name) return number;
    number += star == std::string_view::npos ? 1 : LengthOf(node, std::string(output.substr(star + 1)));
    rest.remove_prefix(std::min(rest.size(), output.size() + 1));
  }
  return 0;
}

}  // namespace atc::tf_parser
