#include "parsers/onnx/attribute_words.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace atc::onnx_parser {
namespace {

constexpr std::string_view kGates =
    "Affine Elu HardSigmoid LeakyRelu Relu ScaledTanh Sigmoid Softplus Softsign Tanh ThresholdedRelu";

constexpr AttributeWords kWords[] = {
    {"activation", "CausalConvWithState", "none silu swish"},
    {"activations", "GRU LSTM RNN", kGates, true},
    {"aggregate_function", "", "AVERAGE SUM MIN MAX"},
    {"approximate", "", "none tanh"},
    {"auto_pad", "", "NOTSET SAME_UPPER SAME_LOWER VALID"},
    {"case_change_action", "", "NONE LOWER UPPER"},
    {"cast_to", "", "TO_FLOAT TO_STRING TO_INT64"},
    {"coordinate_transformation_mode", "Resize",
     "half_pixel half_pixel_symmetric pytorch_half_pixel align_corners asymmetric tf_half_pixel_for_nn "
     "tf_crop_and_resize"},
    {"coordinate_transformation_mode", "RoiAlign", "half_pixel output_half_pixel"},
    {"direction", "BitShift", "LEFT RIGHT"},
    {"direction", "GRU LSTM RNN", "forward reverse bidirectional"},
    {"keep_aspect_ratio_policy", "", "stretch not_larger not_smaller"},
    {"kernel_type", "", "LINEAR POLY RBF SIGMOID"},
    {"map_form", "", "DENSE SPARSE"},
    {"mode", "DepthToSpace SpaceToDepth", "DCR CRD"},
    {"mode", "GridSample", "linear bilinear nearest cubic bicubic"},
    {"mode", "Momentum", "standard nesterov"},
    {"mode", "Pad", "constant reflect edge wrap"},
    {"mode", "Resize Upsample", "nearest linear bilinear cubic"},
    {"mode", "RoiAlign", "avg max"},
    {"mode", "TensorScatter", "linear circular"},
    {"mode", "TfIdfVectorizer", "TF IDF TFIDF"},
    {"nearest_mode", "", "round_prefer_floor round_prefer_ceil floor ceil"},
    {"nodes_modes", "", "BRANCH_LEQ BRANCH_LT BRANCH_GTE BRANCH_GT BRANCH_EQ BRANCH_NEQ LEAF"},
    {"norm", "", "MAX L1 L2"},
    {"padding_mode", "", "zeros border reflection"},
    {"pixel_format", "", "RGB BGR Grayscale"},
    {"post_transform", "", "NONE SOFTMAX LOGISTIC SOFTMAX_ZERO PROBIT"},
    {"reduction", "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", "none sum mean"},
    {"reduction", "ScatterElements ScatterND", "none add mul max min"},
    {"round_mode", "", "up down nearest"},
    {"update_rule", "", "linear gated delta gated_delta"},
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool HasWord(std::string_view list, std::string_view word, bool any_case) {
  while (!list.empty()) {
    const size_t blank = std::min(list.find(' '), list.size());
    const std::string_view candidate = list.substr(0, blank);
    if (any_case ? Lower(candidate) == Lower(word) : candidate == word) return true;
    list.remove_prefix(std::min(blank + 1, list.size()));
  }
  return false;
}

}  // namespace

std::span<const AttributeWords> AllAttributeWords() { return kWords; }

const AttributeWords* FindAttributeWords(std::string_view op_type, std::string_view attribute) {
  for (const AttributeWords& entry : kWords) {
    if (entry.attribute == attribute && (entry.operators.empty() || HasWord(entry.operators, op_type, false))) {
      return &entry;
    }
  }
  return nullptr;
}

bool IsAmong(const AttributeWords& words, std::string_view text) { return HasWord(words.words, text, words.any_case); }

}  // namespace atc::onnx_parser
