// What a conversion is asked to do, as plain data: filled by a front end (the command line, Python), read by the
// parsers and the pipeline. Everything here has passed the checks that need no model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/data_type.h"
#include "compiler/ir/format.h"
#include "compiler/ir/parallel_mode.h"
#include "compiler/ir/pass_switches.h"
#include "compiler/ir/precision_options.h"
#include "compiler/ir/shape.h"
#include "compiler/ir/topo_sorting_mode.h"

namespace atc {

// One item of --input_shape (or of --input_shape_range, which it supersedes).
struct InputShapeOption {
  std::string name;            // empty: the shapes are given by position, for all inputs in order
  std::vector<DimRange> dims;  // empty: a scalar

  bool operator==(const InputShapeOption&) const = default;
};

// One item of --out_nodes: output `index` of node `node`, or a tensor by its name.
struct OutNodeOption {
  std::string node;  // empty where `tensor` is set
  int index = 0;
  std::string tensor;  // an output tensor's name; empty in the `node:index` form

  bool by_index() const { return !node.empty(); }
  bool operator==(const OutNodeOption&) const = default;
};

// --output_type: one type for all outputs, or types for single outputs. Empty and DT_UNDEFINED: not asked for.
struct OutputTypeOption {
  struct Item {
    std::string node;
    int index = 0;
    DataType dtype = DT_UNDEFINED;
    bool operator==(const Item&) const = default;
  };
  DataType all = DT_UNDEFINED;
  std::vector<Item> items;
};

// --precision_mode and --precision_mode_v2 are two spellings of one choice; the comments give both, first the older.
enum class PrecisionMode {
  kForceFp16,          // force_fp16, fp16: the default
  kForceFp32,          // force_fp32
  kCubeFp16InFp32Out,  // cube_fp16in_fp32out
  kMixedFp16,          // allow_mix_precision, allow_mix_precision_fp16, mixed_float16
  kMixedBf16,          // allow_mix_precision_bf16, mixed_bfloat16
  kAllowFp32ToFp16,    // allow_fp32_to_fp16
  kAllowFp32ToBf16,    // allow_fp32_to_bf16
  kKeepOrigin,         // must_keep_origin_dtype, origin
  kCubeHif8,           // cube_hif8
  kMixedHif8,          // mixed_hif8
};

// --external_weight: where the weights go.
enum class ExternalWeight {
  kNone,           // into the om
  kFilePerWeight,  // a file each, beside the om
  kOneFile,        // one file for all, beside the om
};

struct CompileOptions {
  std::string model_path;
  // --output as given, without ".om"; the compiler adds ".om", or "_<os>_<cpu>.om" where shapes stay unknown.
  std::string output_path;
  std::string soc_version;  // as given, e.g. "Ascend910B3"; whether it exists is the compiler's check
  std::vector<InputShapeOption> input_shapes;    // inputs that are not named keep the shape of the model
  bool input_shapes_by_position = false;         // true: all of input_shapes have no name
  std::string input_shape_flag = "input_shape";  // the flag they came from, for messages
  Format input_format = FORMAT_NCHW;             // how 4-D inputs are laid out: NCHW, ND or NCDHW for ONNX
  std::vector<OutNodeOption> out_nodes;          // empty: the outputs that the model declares
  OutputTypeOption output_type;
  PrecisionMode precision_mode = PrecisionMode::kForceFp16;
  PrecisionOptions precision;
  PassSwitches passes;
  bool single_stream = false;
  ParallelMode parallel_mode;  // --multi_stream_parallel_mode
  int32_t max_stream_tasks = 0;  // that a stream of the device holds; 0: any number, as on this device
  TopoSortingMode topo_sorting_mode = TopoSortingMode::kDepthFirst;
  bool disable_reuse_memory = false;
  bool small_channels = false;       // --enable_small_channel: NC1HWC0_C04 for first convolutions
  bool compress_attributes = false;  // --enable_attr_compression: names and texts as numbers, by tables in the om
  ExternalWeight external_weight = ExternalWeight::kNone;
  // GE's options by key ("ge.streamMaxParallelNum"), those given with flags and those of --raw_ge_options alike; what a
  // member above says is read there. A stage that knows a key without a flag reads it here, by GeOption.
  std::map<std::string, std::string> ge_options;
  std::string host_env_os, host_env_cpu;  // for the file name of a model with unknown shapes, e.g. "linux", "x86_64"
  // The flags in the order of the flag table, paths cut to their base names: the same from any folder. For the om.
  std::string atc_cmdline;
  // Called with the name of each long step as it begins ("parse", a stage name); may be empty.
  std::function<void(std::string_view step)> progress;

  // The text of a GE option, empty where it is not given.
  std::string GeOption(const std::string& key) const {
    const auto found = ge_options.find(key);
    return found == ge_options.end() ? "" : found->second;
  }
};

}  // namespace atc
