// What a user asks of the precision of single operators, beside the mode for all of them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/data_type.h"

namespace atc {

// --modify_mixlist: operator types that leave or enter the lists of the mixed precision modes.
struct MixlistChange {
  std::set<std::string> to_add;
  std::set<std::string> to_remove;
};

// --customize_dtypes: a type for each input and output; DT_UNDEFINED leaves one as it is.
struct CustomDtypes {
  std::vector<DataType> inputs;
  std::vector<DataType> outputs;
};

// Names are those of nodes of the model or of operator types; a node's own line wins over that of its type.
struct PrecisionOptions {
  MixlistChange black_list;  // never lowered in a mixed mode
  MixlistChange white_list;  // always lowered in a mixed mode
  // --op_precision_mode: "high_precision", "enable_float_32_execution", ...
  std::map<std::string, std::string> mode_by_name;
  std::map<std::string, std::string> mode_by_type;
  // --op_select_implmode for the types of --optypelist_for_implmode; the lists above win.
  std::string implmode;
  std::set<std::string> implmode_types;
  // --keep_dtype: these keep the types of the model.
  std::set<std::string> keep_names;
  std::set<std::string> keep_types;
  std::map<std::string, CustomDtypes> custom_by_name;
  std::map<std::string, CustomDtypes> custom_by_type;
  // --is_weight_clip: a float weight beyond the range of float16 becomes its largest number, else infinite.
  bool clip_weights = true;
};

}  // namespace atc
