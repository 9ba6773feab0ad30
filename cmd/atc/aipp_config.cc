#include "cmd/atc/aipp_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <map>
#include <set>

#include "cmd/atc/aipp_text.h"
#include "cmd/atc/config_file.h"
#include "cmd/atc/grammar.h"
#include "cmd/atc/text.h"
#include "compiler/ir/nearest_names.h"

namespace atc::cli {
namespace {

Error Bad(std::string reason) { return Error("E10052", {{"reason", std::move(reason)}}); }

enum class Kind { kWord, kText, kBool, kInt, kFloat };

struct FieldRow {
  std::string_view name;
  Kind kind;
  std::string_view words;  // of kWord, separated by blanks
  double least = 0;        // of kInt and kFloat, both ends included
  double most = 0;
};

constexpr double kHalfMax = 65504;
constexpr std::string_view kFormats = "YUV420SP_U8 XRGB8888_U8 RGB888_U8 YUV400_U8";

constexpr FieldRow kFields[] = {
    {"aipp_mode", Kind::kWord, "static dynamic"},
    {"ax_swap_switch", Kind::kBool, ""},
    {"bottom_padding_size", Kind::kInt, "", 0, 32},
    {"crop", Kind::kBool, ""},
    {"crop_size_h", Kind::kInt, "", 0, 4096},
    {"crop_size_w", Kind::kInt, "", 0, 4096},
    {"csc_switch", Kind::kBool, ""},
    {"input_bias_0", Kind::kInt, "", 0, 255},
    {"input_bias_1", Kind::kInt, "", 0, 255},
    {"input_bias_2", Kind::kInt, "", 0, 255},
    {"input_format", Kind::kWord, kFormats},
    {"left_padding_size", Kind::kInt, "", 0, 32},
    {"load_start_pos_h", Kind::kInt, "", 0, 4095},
    {"load_start_pos_w", Kind::kInt, "", 0, 4095},
    {"matrix_r0c0", Kind::kInt, "", -32768, 32767},
    {"matrix_r0c1", Kind::kInt, "", -32768, 32767},
    {"matrix_r0c2", Kind::kInt, "", -32768, 32767},
    {"matrix_r1c0", Kind::kInt, "", -32768, 32767},
    {"matrix_r1c1", Kind::kInt, "", -32768, 32767},
    {"matrix_r1c2", Kind::kInt, "", -32768, 32767},
    {"matrix_r2c0", Kind::kInt, "", -32768, 32767},
    {"matrix_r2c1", Kind::kInt, "", -32768, 32767},
    {"matrix_r2c2", Kind::kInt, "", -32768, 32767},
    {"max_src_image_size", Kind::kInt, "", 1, 4294967295.0},
    {"mean_chn_0", Kind::kInt, "", 0, 255},
    {"mean_chn_1", Kind::kInt, "", 0, 255},
    {"mean_chn_2", Kind::kInt, "", 0, 255},
    {"mean_chn_3", Kind::kInt, "", 0, 255},
    {"min_chn_0", Kind::kFloat, "", 0, 255},
    {"min_chn_1", Kind::kFloat, "", 0, 255},
    {"min_chn_2", Kind::kFloat, "", 0, 255},
    {"min_chn_3", Kind::kFloat, "", 0, 255},
    {"output_bias_0", Kind::kInt, "", 0, 255},
    {"output_bias_1", Kind::kInt, "", 0, 255},
    {"output_bias_2", Kind::kInt, "", 0, 255},
    {"padding", Kind::kBool, ""},
    {"padding_value", Kind::kFloat, "", -kHalfMax, kHalfMax},
    {"rbuv_swap_switch", Kind::kBool, ""},
    {"related_input_name", Kind::kText, ""},
    {"related_input_rank", Kind::kInt, "", 0, 2147483647.0},
    {"resize", Kind::kBool, ""},
    {"resize_output_h", Kind::kInt, "", 0, 4096},
    {"resize_output_w", Kind::kInt, "", 0, 4096},
    {"right_padding_size", Kind::kInt, "", 0, 32},
    {"single_line_mode", Kind::kBool, ""},
    {"src_image_size_h", Kind::kInt, "", 0, 4096},
    {"src_image_size_w", Kind::kInt, "", 0, 4096},
    {"top_padding_size", Kind::kInt, "", 0, 32},
    {"var_reci_chn_0", Kind::kFloat, "", -kHalfMax, kHalfMax},
    {"var_reci_chn_1", Kind::kFloat, "", -kHalfMax, kHalfMax},
    {"var_reci_chn_2", Kind::kFloat, "", -kHalfMax, kHalfMax},
    {"var_reci_chn_3", Kind::kFloat, "", -kHalfMax, kHalfMax},
};

const FieldRow& FindField(const AippField& field) {
  std::vector<std::string_view> names;
  for (const FieldRow& row : kFields) {
    if (row.name == field.name) return row;
    names.push_back(row.name);
  }
  const std::string meant = DidYouMean(field.name, names);
  throw Bad(fmt::format("line {}: AIPP has no field '{}'{}", field.line, field.name, meant.empty() ? "" : ". " + meant));
}

// The values of one aipp_op by field, their form and range checked.
class Values {
 public:
  explicit Values(const std::vector<AippField>& fields) {
    for (const AippField& field : fields) {
      Check(FindField(field), field);
      if (!values_.emplace(field.name, field.value).second) {
        throw Bad(fmt::format("line {}: {} is given twice", field.line, field.name));
      }
    }
  }

  bool Has(std::string_view name) const { return values_.contains(name); }
  std::string Text(std::string_view name) const { return Has(name) ? values_.find(name)->second : ""; }
  void Get(std::string_view name, bool* value) const {
    if (Has(name)) *value = Text(name) == "true" || Text(name) == "1";
  }
  void Get(std::string_view name, int64_t* value) const {
    if (Has(name)) *value = static_cast<int64_t>(Number(Text(name)).second);
  }
  void Get(std::string_view name, double* value) const {
    if (Has(name)) *value = Number(Text(name)).second;
  }
  template <typename T, size_t kCount>
  void GetEach(std::string_view stem, T (&values)[kCount]) const {
    for (size_t i = 0; i < kCount; ++i) Get(fmt::format("{}{}", stem, i), &values[i]);
  }

 private:
  static std::pair<bool, double> Number(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return {error == std::errc() && end == text.data() + text.size(), value};
  }

  static void Check(const FieldRow& row, const AippField& field) {
    const auto wanted = [&](const std::string& what) {
      return Bad(fmt::format("line {}: {} is '{}'; expected {}", field.line, field.name, field.value, what));
    };
    if (row.kind == Kind::kText) return;
    if (row.kind == Kind::kBool || row.kind == Kind::kWord) {
      const auto words = Words(row.kind == Kind::kBool ? "true false 1 0" : row.words);
      for (const std::string_view word : words) {
        if (word == field.value) return;
      }
      throw wanted(row.kind == Kind::kBool ? "true or false" : fmt::format("{}", fmt::join(words, ", ")));
    }
    const auto [is_number, value] = Number(field.value);
    const bool whole = row.kind == Kind::kFloat || field.value.find_first_not_of("+-0123456789") == std::string::npos;
    if (!is_number || !whole || !(value >= row.least && value <= row.most)) {
      throw wanted(fmt::format("{} from {} to {}", row.kind == Kind::kInt ? "a whole number" : "a number", row.least,
                               row.most));
    }
  }

  std::map<std::string, std::string, std::less<>> values_;
};

void CheckSizes(const AippOp& op) {
  if (op.src_image_size_w == 1) throw Bad("src_image_size_w is 1; expected 0, or 2 to 4096");
  if (op.input_format == AippInput::kYuv420sp) {
    const std::pair<const char*, int64_t> even[] = {{"src_image_size_w", op.src_image_size_w},
                                                    {"src_image_size_h", op.src_image_size_h},
                                                    {"load_start_pos_w", op.load_start_pos_w},
                                                    {"load_start_pos_h", op.load_start_pos_h}};
    for (const auto& [name, value] : even) {
      if (value % 2 != 0) throw Bad(fmt::format("{} is {}; with YUV420SP_U8 it must be even", name, value));
    }
  }
  if ((op.src_image_size_w == 0) != (op.src_image_size_h == 0)) {
    throw Bad("src_image_size_w and src_image_size_h are both 0, or neither is");
  }
  if (!op.crop) return;
  const auto check_axis = [](const char* axis, int64_t start, int64_t size, int64_t source) {
    if (source > 0 && (start >= source || start + size > source)) {
      throw Bad(fmt::format("the crop along {} begins at {} and takes {}, but src_image_size_{} is {}", axis, start, size,
                            axis, source));
    }
  };
  check_axis("w", op.load_start_pos_w, op.crop_size_w, op.src_image_size_w);
  check_axis("h", op.load_start_pos_h, op.crop_size_h, op.src_image_size_h);
}

AippOp ToOp(const std::vector<AippField>& fields) {
  const Values values(fields);
  AippOp op;
  if (!values.Has("aipp_mode")) throw Bad("aipp_mode is missing; it is static or dynamic");
  op.dynamic = values.Text("aipp_mode") == "dynamic";
  if (op.dynamic && !values.Has("max_src_image_size")) throw Bad("aipp_mode dynamic needs max_src_image_size, in bytes");
  if (!op.dynamic && values.Has("max_src_image_size")) throw Bad("max_src_image_size belongs to aipp_mode dynamic");
  if (!op.dynamic && !values.Has("input_format")) throw Bad("aipp_mode static needs input_format");
  if (values.Has("related_input_name") && values.Has("related_input_rank")) {
    throw Bad("related_input_name and related_input_rank name one input twice; give one of them");
  }
  const auto formats = Words(kFormats);
  for (size_t i = 0; i < formats.size(); ++i) {
    if (values.Text("input_format") == formats[i]) op.input_format = static_cast<AippInput>(i);
  }
  op.related_input_name = values.Text("related_input_name");
  values.Get("related_input_rank", &op.related_input_rank);
  values.Get("max_src_image_size", &op.max_src_image_size);
  values.Get("src_image_size_w", &op.src_image_size_w);
  values.Get("src_image_size_h", &op.src_image_size_h);
  values.Get("crop", &op.crop);
  values.Get("load_start_pos_w", &op.load_start_pos_w);
  values.Get("load_start_pos_h", &op.load_start_pos_h);
  values.Get("crop_size_w", &op.crop_size_w);
  values.Get("crop_size_h", &op.crop_size_h);
  values.Get("padding", &op.padding);
  values.Get("left_padding_size", &op.left_padding_size);
  values.Get("right_padding_size", &op.right_padding_size);
  values.Get("top_padding_size", &op.top_padding_size);
  values.Get("bottom_padding_size", &op.bottom_padding_size);
  values.Get("padding_value", &op.padding_value);
  values.Get("resize", &op.resize);
  values.Get("resize_output_w", &op.resize_output_w);
  values.Get("resize_output_h", &op.resize_output_h);
  values.Get("csc_switch", &op.csc_switch);
  values.Get("rbuv_swap_switch", &op.rbuv_swap_switch);
  values.Get("ax_swap_switch", &op.ax_swap_switch);
  values.Get("single_line_mode", &op.single_line_mode);
  for (int row = 0; row < 3; ++row) values.GetEach(fmt::format("matrix_r{}c", row), op.matrix[row]);
  values.GetEach("output_bias_", op.output_bias);
  values.GetEach("input_bias_", op.input_bias);
  values.GetEach("mean_chn_", op.mean_chn);
  values.GetEach("min_chn_", op.min_chn);
  values.GetEach("var_reci_chn_", op.var_reci_chn);
  CheckSizes(op);
  return op;
}

std::string InputOf(const AippOp& op) {
  return op.related_input_name.empty() ? fmt::format("the input of rank {}", op.related_input_rank)
                                       : fmt::format("the input '{}'", op.related_input_name);
}

// Whether the shape that --input_shape gives the operator's input leaves a size open.
bool HasOpenInput(const AippOp& op, const std::vector<InputShapeOption>& shapes) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    const bool by_rank = op.related_input_name.empty() && static_cast<int64_t>(i) == op.related_input_rank;
    if (!by_rank && (op.related_input_name.empty() || shapes[i].name != op.related_input_name)) continue;
    for (const DimRange& dim : shapes[i].dims) {
      if (dim.min != dim.max) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<AippOp> ReadAippConfig(const std::string& path) {
  std::vector<AippOp> ops;
  std::set<std::pair<std::string, int64_t>> inputs;
  for (const auto& fields : ParseAippText(ReadConfigText(path))) {
    ops.push_back(ToOp(fields));
    const AippOp& op = ops.back();
    if (!inputs.insert({op.related_input_name, op.related_input_name.empty() ? op.related_input_rank : -1}).second) {
      throw Bad(fmt::format("{} has two aipp_op", InputOf(op)));
    }
  }
  if (ops.empty()) throw Bad("the file has no aipp_op { }");
  return ops;
}

std::vector<AippOp> CheckAipp(const FlagValues& flags) {
  std::vector<AippOp> ops = ReadAippConfig(flags.Get("insert_op_conf"));
  std::vector<InputShapeOption> ranged;
  if (flags.IsSet("input_shape_range")) {
    ranged = ParseInputShapeRange(flags.Get("input_shape_range"));
  } else if (flags.IsSet("input_shape") && !flags.IsSet("dynamic_batch_size") && !flags.IsSet("dynamic_image_size")) {
    ranged = ParseInputShape(flags.Get("input_shape"));
  }
  const std::string half = flags.Get("input_fp16_nodes");
  for (const AippOp& op : ops) {
    if (!op.dynamic && HasOpenInput(op, ranged)) {
      throw Bad(fmt::format("static AIPP cannot feed {}, whose shape is a range", InputOf(op)));
    }
    if (!op.dynamic && flags.IsSet("dynamic_image_size") && (op.src_image_size_w != 0 || op.crop || op.padding)) {
      throw Bad("with --dynamic_image_size, static AIPP has neither crop nor padding, and src_image_size_w and _h are 0");
    }
    for (const std::string_view name : Split(half, ';')) {
      if (!op.related_input_name.empty() && name == op.related_input_name) {
        throw Error("E10034", {{"opname", op.related_input_name}});
      }
    }
  }
  return ops;
}

}  // namespace atc::cli
