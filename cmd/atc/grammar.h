// The small languages of --input_shape, --out_nodes and --output_type: text in, plain options out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/options.h"

namespace atc::cli {

// "name:1,3,-1;name2:4,1~8", or "1,3;4" by position. A text without '~' and -1 holds static shapes.
// `gears` says that one of the dynamic_* flags is given: then -1 marks an axis and '~' is refused (E10040).
// Throws E10002 (form), E10011 (a dim that is not positive), E10013 (out of range), E10048 (a range that is none).
std::vector<InputShapeOption> ParseInputShape(std::string_view text, bool gears = false);

// What a text that ParseInputShape refuses was most likely meant to be, as a text that it takes; empty where that
// cannot be told. Sizes that are not positive become -1; full-width signs, brackets, "1x3" and empty items are put
// right.
std::string RepairedInputShape(std::string_view text, bool gears = false);

// The older "name:[1~20,3,-1];name2:[..]", or "[..],[..]" by position. Throws E10048.
std::vector<InputShapeOption> ParseInputShapeRange(std::string_view text);

// "node:0;node2:1", or names of tensors "a;b". Throws E10001.
std::vector<OutNodeOption> ParseOutNodes(std::string_view text);

// "FP32", or "node:0:FP32;node2:1:UINT8" for outputs that `out_nodes` names. Throws E10001.
OutputTypeOption ParseOutputType(std::string_view text, const std::vector<OutNodeOption>& out_nodes);

// Either spelling of the precision mode; the value is one of the flag table's.
PrecisionMode ParsePrecisionMode(std::string_view word);

}  // namespace atc::cli
