// The AIPP configuration that --insert_op_conf names: image preprocessing in front of inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cmd/atc/command_line.h"

namespace atc::cli {

enum class AippInput { kYuv420sp, kXrgb8888, kRgb888, kYuv400 };

// One aipp_op; what the file does not say has the default of AIPP.
struct AippOp {
  bool dynamic = false;
  int64_t related_input_rank = 0;
  std::string related_input_name;  // empty: the rank counts
  AippInput input_format = AippInput::kYuv420sp;
  int64_t max_src_image_size = 0;
  int64_t src_image_size_w = 0, src_image_size_h = 0;
  bool crop = false;
  int64_t load_start_pos_w = 0, load_start_pos_h = 0, crop_size_w = 0, crop_size_h = 0;
  bool padding = false;
  int64_t left_padding_size = 0, right_padding_size = 0, top_padding_size = 0, bottom_padding_size = 0;
  double padding_value = 0;
  bool resize = false;
  int64_t resize_output_w = 0, resize_output_h = 0;
  bool csc_switch = false, rbuv_swap_switch = false, ax_swap_switch = false, single_line_mode = false;
  int64_t matrix[3][3] = {{298, 516, 0}, {298, -100, -208}, {298, 0, 409}};
  int64_t output_bias[3] = {16, 128, 128};
  int64_t input_bias[3] = {16, 128, 128};
  // A channel becomes (x - mean - min) * factor.
  int64_t mean_chn[4] = {};
  double min_chn[4] = {};
  double var_reci_chn[4] = {1, 1, 1, 1};
};

// Reads the text: "aipp_op { field: value ... }", any number of times, with '#' comments. Throws E10052 naming the line
// or the field, and the value wanted; E21001 and E13015 for the file.
std::vector<AippOp> ReadAippConfig(const std::string& path);

// The same with what other flags exclude: ranged shapes of a static AIPP's input, crop, padding or a source size with
// --dynamic_image_size (E10052), and inputs of --input_fp16_nodes (E10034).
std::vector<AippOp> CheckAipp(const FlagValues& flags);

}  // namespace atc::cli
