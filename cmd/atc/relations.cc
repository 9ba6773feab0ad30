#include "cmd/atc/relations.h"

namespace atc::cli {
namespace {

constexpr Relation kRelations[] = {
    {"precision_mode precision_mode_v2", "Only one of --precision_mode and --precision_mode_v2 is given.", "E10056",
     "--precision_mode=force_fp16 --precision_mode_v2=fp16"},
    {"dynamic_batch_size dynamic_image_size dynamic_dims input_shape_range",
     "Only one of --dynamic_batch_size, --dynamic_image_size, --dynamic_dims and --input_shape_range is given.",
     "E10009", "--input_shape=x:-1,4 --dynamic_batch_size=1,2 --dynamic_dims=1;2"},
    {"dynamic_batch_size dynamic_image_size dynamic_dims", "It needs --input_shape with -1 where sizes vary.", "E10004",
     "--dynamic_batch_size=1,2"},
    {"input_hint_shape dynamic_batch_size dynamic_image_size dynamic_dims",
     "--input_hint_shape excludes the --dynamic_ flags.", "E10001",
     "--input_shape=x:-1,4 --input_hint_shape=0:[1,4] --dynamic_batch_size=1,2"},
    {"optypelist_for_implmode op_select_implmode", "--optypelist_for_implmode needs --op_select_implmode.", "E10001",
     "--optypelist_for_implmode=Pooling"},
    {"modify_mixlist",
     "It needs a mixed precision mode: --precision_mode=allow_mix_precision..., or --precision_mode_v2=mixed_....",
     "E10001", "--modify_mixlist=mix.json"},
    {"enable_single_stream multi_stream_parallel_mode",
     "--enable_single_stream=true excludes --multi_stream_parallel_mode.", "E10056",
     "--enable_single_stream=true --multi_stream_parallel_mode=cv", true},
    {"deterministic deterministic_level", "Where both are given, both are 0 or neither is.", "E10001",
     "--deterministic=1 --deterministic_level=0"},
    {"singleop framework display_model_info insert_op_conf",
     "--singleop excludes --framework, --insert_op_conf, --display_model_info=1 and other modes than 0.", "E10001",
     "--singleop=ops.json"},
    {"enable_compress_weight compress_weight_conf", "--enable_compress_weight=true excludes --compress_weight_conf.",
     "E10047", "--enable_compress_weight=true --compress_weight_conf=names.txt"},
    {"framework om", "--mode=6 displays an om and takes no --framework.", "E10057", "--mode=6 --om=model.om"},
    {"weight framework", "A Caffe model (--framework=0) needs --weight.", "E10008", "--framework=0"},
};

}  // namespace

std::span<const Relation> Relations() { return kRelations; }

}  // namespace atc::cli
