#include "cmd/atc/flag_table.h"

#include <algorithm>

namespace atc::cli {
namespace {

using enum Group;
using enum Effect;
using enum Rule;

constexpr std::string_view kPrecisionModes =
    "force_fp16 force_fp32 cube_fp16in_fp32out allow_mix_precision allow_mix_precision_fp16 allow_mix_precision_bf16 "
    "allow_fp32_to_fp16 allow_fp32_to_bf16 must_keep_origin_dtype";
constexpr std::string_view kPrecisionModesV2 =
    "fp16 origin cube_fp16in_fp32out mixed_float16 mixed_bfloat16 cube_hif8 mixed_hif8";
constexpr std::string_view kImplModes =
    "high_precision high_performance high_precision_for_all high_performance_for_all";

// name, group, modes, priority, effect, GE option, rule, legal values, default, help, example, own, bare
constexpr Flag kFlags[] = {
    // General
    {"help", kGeneral, kEvery, 0, kUsed, "", kHelp, "", "false",
     "Show this text; with the name of a flag, all about that flag.", "--help input_shape"},
    {"version", kGeneral, kEvery, 1, kUsed, "", kSwitch, "", "false",
     "Print the version of the program, the operator sets and ONNX versions that it reads, and the chips that it "
     "knows.\n"
     "With --json as JSON.",
     "--version --json", true},
    {"explain", kGeneral, kEvery, 1, kUsed, "", kAny, "", "",
     "Say what an error code means and what to do about it; codes of older versions too. Alone: list all codes.",
     "--explain E10016", true, true},
    {"summary", kGeneral, kEvery, 1, kUsed, "", kSwitch, "", "false",
     "Describe a model without converting it: inputs, outputs, operators, operator sets, parameters. ONNX, or with\n"
     "--framework=3 TensorFlow. With --json as JSON.",
     "--summary --model=model.onnx", true},
    {"list_ops", kGeneral, kEvery, 1, kUsed, "", kAny, "", "",
     "List the operators that can be converted: opsets, types, AscendIR names, engines, kernels. Alone: all; with a\n"
     "pattern those that it fits, as Conv* or ai.onnx.ml::*. With --json as JSON.",
     "--list_ops \"Conv*\"", true, true},
    {"mode", kGeneral, kEvery, 0, kUsed, "", kOneOf, "0 1 3 5 6 7 30", "0",
     "What to do.\n"
     "0: convert a model into an om.\n"
     "1: write an om, or with --framework=5 an ONNX model, with 3 a TensorFlow model, as JSON.\n"
     "3: check a model without converting it, and write check_result.json.\n"
     "5: write the text dump of a stage (ge_proto_*.txt, given with --om) as JSON.\n"
     "6: print the command line that made an om, and its sizes.\n"
     "7 and 30 are not supported."},
    {"raw_ge_options", kGeneral, kConvert, 2, kUsed, "", kInputFile, "", "",
     "JSON file with GE options.\n"
     "{\"compile options\": {\"graph\": {\"ge.key\": \"value\"}}}, also under \"session\" and \"global\";\n"
     "flags of the command line win.",
     "--raw_ge_options=options.json"},
    {"raw_ge_options_ignore_unsupported", kGeneral, kConvert, 2, kUsed, "", kSwitch, "", "false",
     "Skip what is not supported in --raw_ge_options."},

    // Input
    {"model", kInput, kConvert, 0, kUsed, "", kInputFile, "", "", "The model file. Required for a conversion.",
     "--model=model.onnx"},
    {"weight", kInput, kConvert, 1, kNone, "", kInputFile, "", "", "The weight file of a Caffe model.",
     "--weight=model.caffemodel"},
    {"om", kInput, kToJson | kDisplay, 1, kUsed, "", kInputFile, "", "",
     "The om for --mode=1 and --mode=6, the model for --mode=1 with --framework, or the dump for --mode=5.",
     "--mode=6 --om=model.om"},
    {"framework", kInput, kConvert | kToJson, 0, kUsed, "ge.frameworkType", kFramework, "0 1 3 5", "",
     "Where the model comes from. Required for a conversion.\n"
     "3: TensorFlow, a frozen graph or the folder of a SavedModel. 5: ONNX.\n"
     "0 (Caffe) and 1 (MindSpore) are not supported.",
     "--framework=5"},
    {"input_format", kInput, kConvert, 1, kUsed, "input_format", kAny, "", "NCHW",
     "How 4-D inputs are laid out.\n"
     "ONNX: NCHW, ND, or NCDHW for 5-D inputs. TensorFlow: NHWC (the default there), NCHW, ND, or NDHWC, NCDHW.",
     "--input_format=ND"},
    {"input_shape", kInput, kConvert, 0, kUsed, "input_shape", kAny, "", "",
     "Shapes of the inputs: \"name1:dims;name2:dims\", in quotation marks.\n"
     "A dim is a size (8), a range (1~8, both ends included) or -1 (any size).\n"
     "Inputs that are not named keep the shape of the model.\n"
     "Without names, \"dims;dims\" are the shapes of all inputs in order.\n"
     "Example: --input_shape=\"ids:1,128;mask:1,128\"",
     "--input_shape=\"ids:1,128;mask:1~8,-1\""},
    {"input_hint_shape", kInput, kConvert, 2, kNone, "ge.inputHintShape", kAny, "", "",
     "Likely shapes of inputs that vary: \"0:[1,3];1:[4]\".", "--input_hint_shape=\"0:[1,3];1:[4]\""},
    {"input_shape_range", kInput, kConvert, 2, kUsed, "input_shape_range", kAny, "", "",
     "Older spelling of ranges: \"name1:[1~8,3];name2:[4,-1]\". Use --input_shape.",
     "--input_shape_range=\"x:[1~8,3,-1]\""},
    {"dynamic_batch_size", kInput, kConvert, 1, kUsed, "ge.dynamicBatchSize", kAny, "", "",
     "Batch sizes to prepare for: \"1,4,8\", with -1 as the batch in --input_shape.",
     "--input_shape=\"x:-1,3,224,224\" --dynamic_batch_size=\"1,4,8\""},
    {"dynamic_image_size", kInput, kConvert, 1, kUsed, "ge.dynamicImageSize", kAny, "", "",
     "Image sizes to prepare for: \"416,416;832,832\", with -1 as height and width.",
     "--input_shape=\"x:1,3,-1,-1\" --dynamic_image_size=\"416,416;832,832\""},
    {"dynamic_dims", kInput, kConvert, 1, kUsed, "ge.dynamicDims", kAny, "", "",
     "Sizes to prepare for: \"1,20;4,40\", one for each -1 in --input_shape.",
     "--input_format=ND --input_shape=\"x:-1,-1\" --dynamic_dims=\"1,20;4,40\""},
    {"singleop", kInput, kConvert, 2, kUsed, "ge.exec.single_op", kInputFile, "", "",
     "JSON file that describes single operators to compile.",
     "--singleop=ops.json --output=ops --soc_version=Ascend910B3"},

    // Output
    {"output", kOutput, kConvert, 0, kUsed, "", kOutputFile, "", "",
     "The file to write, without its suffix. Required for a conversion.\n"
     "\".om\" is always appended, also to a name that ends so; folders are made as needed.\n"
     "Where shapes stay unknown the name becomes <output>_<os>_<cpu>.om.",
     "--output=out/model"},
    {"output_type", kOutput, kConvert, 1, kUsed, "ge.outputDatatype", kAny, "", "",
     "Element type of the outputs: one for all (\"FP32\") or for single ones of --out_nodes\n"
     "(\"node1:0:FP16;node2:0:UINT8\").\n"
     "FP32, FP16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, HIF8, FP8E5M2, FP8E4M3FN",
     "--out_nodes=\"head:0;mask:0\" --output_type=\"head:0:FP16;mask:0:UINT8\""},
    {"check_report", kOutput, kConvert, 2, kUsed, "check_report", kFolder, "", "check_result.json",
     "Where --mode=3 writes its findings.", "--mode=3 --check_report=check.json"},
    {"json", kOutput, kEvery, 1, kUsed, "", kOutputFile, "", "",
     "The JSON file that --mode=1 and --mode=5 write.\n"
     "With --version, --explain, --summary and --mode=6: JSON in place of text; without a name, to the terminal.",
     "--mode=1 --om=model.om --json=model.json", false, true},
    {"host_env_os", kOutput, kConvert, 2, kUsed, "ge.host_env_os", kAny, "", "",
     "Operating system in the name of an om with unknown shapes: linux or minios.\n"
     "The default is that of this machine.",
     "--host_env_os=linux"},
    {"host_env_cpu", kOutput, kConvert, 2, kUsed, "ge.host_env_cpu", kAny, "", "",
     "Processor in the name of an om with unknown shapes: x86_64, aarch64, arm64 or arm.\n"
     "The default is that of this machine.",
     "--host_env_cpu=aarch64"},

    // Target
    {"soc_version", kTarget, kConvert, 0, kUsed, "ge.socVersion", kAny, "", "",
     "The chip to convert for, for instance Ascend310P3 or Ascend910B3. Required for a conversion.\n"
     "It is the name that npu-smi shows, with \"Ascend\" before it.",
     "--soc_version=Ascend910B3"},
    {"virtual_type", kTarget, kConvert, 3, kNone, "ge.virtual_type", kOneOf, "0 1", "0",
     "1: the om may run on a virtual NPU."},
    {"core_type", kTarget, kConvert, 3, kNone, "ge.engineType", kOneOf, "AiCore VectorCore", "AiCore",
     "Which cores to compile for."},
    {"aicore_num", kTarget, kConvert, 3, kNone, "ge.aicoreNum", kAny, "", "", "How many AI cores to compile for.",
     "--aicore_num=\"8|16\""},

    // Feature
    {"out_nodes", kFeature, kConvert, 1, kUsed, "ge.outputNodeName", kAny, "", "",
     "Make these the outputs of the model: \"node1:0;node2:1\" (node and output index)\n"
     "or \"tensor1;tensor2\" (names of output tensors), in quotation marks.\n"
     "The default is the outputs that the model declares.",
     "--out_nodes=\"head:0;mask:0\""},
    {"input_fp16_nodes", kFeature, kConvert, 1, kUsed, "ge.INPUT_NODES_SET_FP16", kAny, "", "",
     "Inputs to be fed as FP16: \"name1;name2\".", "--input_fp16_nodes=\"x;y\""},
    {"insert_op_conf", kFeature, kConvert, 1, kRefused, "ge.insertOpFile", kInputFile, "", "",
     "AIPP configuration: image preprocessing put before the model.", "--insert_op_conf=aipp.cfg"},
    {"op_name_map", kFeature, kConvert, 2, kNone, "op_name_map", kInputFile, "", "",
     "Names of custom operators in Caffe models.", "--op_name_map=map.txt"},
    {"is_input_adjust_hw_layout", kFeature, kConvert, 2, kUsed, "is_input_adjust_hw_layout", kAny, "", "false",
     "Feed the inputs of --input_fp16_nodes as NC1HWC0: \"true,false\".",
     "--input_fp16_nodes=\"x;y\" --is_input_adjust_hw_layout=\"true,false\""},
    {"is_output_adjust_hw_layout", kFeature, kConvert, 2, kUsed, "is_output_adjust_hw_layout", kAny, "", "false",
     "Give the outputs of --out_nodes as FP16 NC1HWC0: \"true,false\".",
     "--out_nodes=\"head:0\" --is_output_adjust_hw_layout=true"},
    {"external_weight", kFeature, kConvert, 1, kUsed, "ge.externalWeight", kZeroOne, "0 1 2", "0",
     "Write weights to files in the folder \"weight\" beside the om.\n"
     "0: no. 1: one file each, named by its hash. 2: one file for all."},

    // Model tuning
    {"disable_reuse_memory", kModelTuning, kConvert, 1, kUsed, "ge.exec.disableReuseMemory", kZeroOne, "0 1", "0",
     "1: give every tensor memory of its own; for finding faults, takes much more memory."},
    {"fusion_switch_file", kModelTuning, kConvert, 1, kUsed, "ge.fusionSwitchFile", kInputFile, "", "",
     "File that switches fusion passes on and off: lines \"PassName:off\", or JSON\n"
     "{\"Switch\": {\"GraphFusion\": {\"ALL\": \"off\"}, \"UBFusion\": {\"PassName\": \"on\"}}}.",
     "--fusion_switch_file=switch.cfg"},
    {"enable_scope_fusion_passes", kModelTuning, kConvert, 2, kUsed, "enable_scope_fusion_passes", kAny, "", "",
     "Scope fusion passes for TensorFlow models besides the general ones (ScopeLayerNormPass, ScopeBatchNormPass,\n"
     "ScopeGeluPass), which always run: ScopeDynamicRNNPass, ScopeDynamicLSTMPass, ScopeDecodeBboxV2Pass,\n"
     "DecodeBboxV2ScopeFusionPass.",
     "--enable_scope_fusion_passes=ScopeDynamicRNNPass,ScopeDecodeBboxV2Pass"},
    {"enable_single_stream", kModelTuning, kConvert, 1, kUsed, "ge.enableSingleStream", kLateTrueFalse, "true false",
     "false", "true: put all tasks on one stream."},
    {"ac_parallel_enable", kModelTuning, kConvert, 2, kUsed, "ac_parallel_enable", kLateZeroOne, "0 1", "0",
     "1: run AI CPU operators of models with unknown shapes in parallel."},
    {"tiling_schedule_optimize", kModelTuning, kConvert, 3, kNone, "ge.tiling_schedule_optimize", kLateZeroOne, "0 1",
     "0", "1: compute tilings on the device."},
    {"quant_dumpable", kModelTuning, kConvert, 2, kUsed, "ge.quant_dumpable", kLateZeroOne, "0 1", "",
     "1: keep what is quantised as a result of its own, so that dumps hold it as it was before. The operators between\n"
     "dequantisation and quantisation then compute in floats, not in 8 bits."},
    {"cluster_config", kModelTuning, kConvert, 3, kNone, "ge.cluster_config", kInputFile, "", "",
     "Topology for distributed compilation.", "--cluster_config=cluster.json"},
    {"hccl_sub_comm_config", kModelTuning, kConvert, 3, kNone, "ge.hccl_sub_comm_config", kInputFile, "", "",
     "Communication groups for distributed compilation.", "--hccl_sub_comm_config=groups.json"},
    {"enable_small_channel", kModelTuning, kConvert, 2, kUsed, "ge.enableSmallChannel", kLateOneOf, "0 1", "0",
     "1: convolutions of at most 4 channels at the input take NC1HWC0_C04, in blocks of 4 channels, for their data."},
    {"compression_optimize_conf", kModelTuning, kConvert, 3, kUsed, "ge.compressionOptimizeConf", kInputFile, "", "",
     "Quantise while converting, by the AMCT toolkit, which is not part of this: E10001.",
     "--compression_optimize_conf=compression.cfg"},
    {"enable_attr_compression", kModelTuning, kConvert, 2, kUsed, "ge.enableAttrCompression", kAny, "", "false",
     "true: write numbers for the names and texts of attributes inside the om, which makes it smaller. Viewers then "
     "see\n"
     "numbers; --mode=1 and omrun read both. true or false, in any case.",
     "--enable_attr_compression=true"},
    {"sparsity", kModelTuning, kConvert, 3, kNone, "ge.enableSparseMatrixWeight", kZeroOne, "0 1", "0",
     "1: the weights are 4:2 sparse."},
    {"buffer_optimize", kModelTuning, kConvert, 2, kNone, "ge.bufferOptimize", kOneOf,
     "l1_optimize l2_optimize off_optimize", "l2_optimize", "Which buffer of the chip to optimise for."},
    {"mdl_bank_path", kModelTuning, kConvert, 3, kNone, "ge.mdl_bank_path", kFolder, "", "",
     "Results of tuning whole models.", "--mdl_bank_path=bank"},
    {"oo_level", kModelTuning, kConvert, 2, kUsed, "ge.oo.level", kLateOneOf, "O1 O3", "O3",
     "Optimisation level.\nO1: only the passes that fold constants and decide branches, and those that a switch file "
     "turns on. O3: all passes."},
    {"topo_sorting_mode", kModelTuning, kConvert, 2, kUsed, "ge.topoSortingMode", kLateOneOf, "0 1 2 3", "1",
     "The order in which operators become tasks.\n"
     "0: breadth first. 1: depth first. 2: depth first from the outputs back, so that operands come late.\n"
     "3: the order of the model, what is added right before what reads it; the default with --oo_level=O1."},
    {"multi_stream_parallel_mode", kModelTuning, kConvert, 2, kUsed, "ge.autoMultistreamParallelMode", kAny, "", "",
     "How tasks spread over streams.\n"
     "cv: tasks of cube and of vector cores have streams of their own.\n"
     "LoadBalance:N: equal load on N streams, 1 to 64.\n"
     "MainStream:N: the longest path on one stream, the rest on up to N - 1 others.",
     "--multi_stream_parallel_mode=LoadBalance:4"},
    {"h2d_overlapped_with_compute", kModelTuning, kConvert, 3, kNone, "ge.compile.h2dOverlappedWithCompute", kAny, "",
     "", "Copy inputs while computing.", "--h2d_overlapped_with_compute=\"44,64,68\""},
    {"oo_constant_folding", kModelTuning, kConvert, 2, kUsed, "ge.oo.constantFolding", kLateOneOf, "true false", "true",
     "false: fold neither constants, nor what follows from shapes, nor results without elements."},
    {"oo_dead_code_elimination", kModelTuning, kConvert, 2, kUsed, "ge.oo.deadCodeElimination", kLateOneOf,
     "true false", "true", "false: keep operators that no output needs, and branches and loops that never run."},

    // Operator tuning
    {"precision_mode", kOperatorTuning, kConvert, 1, kUsed, "ge.exec.precision_mode", kOneOf, kPrecisionModes,
     "force_fp16",
     "In which types to compute.\n"
     "force_fp16: float16 wherever the operator can.\n"
     "allow_fp32_to_fp16, _bf16: lower convolutions and products alone; all else keeps its types.\n"
     "allow_mix_precision (_fp16, _bf16): convolutions and products (the white list) are lowered, exponentials and\n"
     "sums (the black list) are not, the rest does as what is before it.\n"
     "force_fp32, cube_fp16in_fp32out: products take their factors in float16, all results are float32.\n"
     "must_keep_origin_dtype: the types of the model.\n"
     "The modes of bf16 need a chip that has it: Ascend910B1 to B4 and Ascend910_93xx, else E20101."},
    {"precision_mode_v2", kOperatorTuning, kConvert, 1, kUsed, "ge.exec.precision_mode_v2", kOneOf, kPrecisionModesV2,
     "fp16",
     "The same choice under newer names; give one of the two flags.\n"
     "fp16: as force_fp16. mixed_float16, mixed_bfloat16: as allow_mix_precision_fp16, _bf16.\n"
     "origin: as must_keep_origin_dtype. cube_hif8, mixed_hif8: E10055, no chip of --soc_version has HiFloat8."},
    {"op_precision_mode", kOperatorTuning, kConvert, 2, kUsed, "ge.exec.op_precision_mode", kInputFile, "", "",
     "Precision of single operators, from an .ini file.\n"
     "Lines \"Name=mode\" below [ByOpType] or [ByNodeName]. enable_float_32_execution keeps float32, keep_fp16\n"
     "takes float16; the other modes choose kernels, of which there is one an operator here.",
     "--op_precision_mode=precision.ini"},
    {"modify_mixlist", kOperatorTuning, kConvert, 2, kUsed, "ge.exec.modify_mixlist", kInputFile, "", "",
     "JSON file that changes the lists of the mixed precision modes.\n"
     "{\"black-list\": {\"to-add\": [\"Conv2D\"], \"to-remove\": []}, \"white-list\": {...}}, of operator types.",
     "--precision_mode_v2=mixed_float16 --modify_mixlist=mixlist.json"},
    {"keep_dtype", kOperatorTuning, kConvert, 2, kUsed, "", kInputFile, "", "",
     "File that names operators which keep the types of the model.\n"
     "A line is the name of an operator, or OpType::Type for all of a type.",
     "--keep_dtype=keep.txt"},
    {"customize_dtypes", kOperatorTuning, kConvert, 2, kUsed, "ge.customizeDtypes", kInputFile, "", "",
     "File that gives types to single operators.\n"
     "Lines \"Name::InputDtype:float16,float32,OutputDtype:float16\" or \"OpType::Type:InputDtype:...\"; an empty\n"
     "place leaves a tensor as it is. Wins over --keep_dtype.",
     "--customize_dtypes=dtypes.txt"},
    {"is_weight_clip", kOperatorTuning, kConvert, 2, kUsed, "ge.is_weight_clip", kLateZeroOne, "0 1", "1",
     "1: clip weights that float16 cannot hold."},
    {"allow_hf32", kOperatorTuning, kConvert, 3, kNone, "ge.exec.allow_hf32", kLateTrueFalse, "true false", "false",
     "true: let convolutions and products of float32 round their operands to HF32. Here they never do."},
    {"op_bank_path", kOperatorTuning, kConvert, 3, kNone, "ge.op_bank_path", kFolder, "", "",
     "Results of tuning single operators.", "--op_bank_path=bank"},
    {"jit_compile", kOperatorTuning, kConvert, 2, kNone, "ge.jit_compile", kOneOf, "0 1 2", "1",
     "Kernels. 0: take ready ones. 1: compile. 2: choose."},
    {"optimization_switch", kOperatorTuning, kConvert, 2, kUsed, "ge.optimizationSwitch", kAny, "", "",
     "Passes to switch on and off: \"PassA:on;PassB:off\".", "--optimization_switch=\"PassA:on;PassB:off\""},
    {"static_model_ops_lower_limit", kOperatorTuning, kConvert, 2, kUsed, "ge.exec.static_model_ops_lower_limit", kAny,
     "", "4", "Fewest operators of a part with known shapes that has streams of its own; -1: no part.",
     "--static_model_ops_lower_limit=-1"},
    {"op_select_implmode", kOperatorTuning, kConvert, 2, kUsed, "ge.opSelectImplmode", kOneOf, kImplModes,
     "high_performance", "Whether kernels are chosen for precision or for speed."},
    {"optypelist_for_implmode", kOperatorTuning, kConvert, 2, kUsed, "ge.optypelistForImplmode", kAny, "", "",
     "Operator types for which --op_select_implmode holds: \"Pooling,SoftmaxV2\".",
     "--op_select_implmode=high_precision --optypelist_for_implmode=Pooling,SoftmaxV2"},

    // Debug
    {"dump_mode", kDebug, kToJson, 2, kUsed, "dump_mode", kZeroOne, "0 1", "0",
     "With --mode=1 and --framework: 1 writes the graph with inferred shapes."},
    {"log", kDebug, kEvery, 1, kUsed, "log", kLogLevel, "debug info warning error null", "null",
     "How much to log, to $HOME/ascend/log or, with ASCEND_SLOG_PRINT_TO_STDOUT=1, to the terminal."},
    {"op_debug_level", kDebug, kConvert, 2, kNone, "ge.opDebugLevel", kOneOf, "0 1 2 3 4", "0",
     "Keep intermediate files of kernel compilation."},
    {"debug_dir", kDebug, kConvert, 2, kNone, "ge.debugDir", kFolder, "", "", "Folder for these files.",
     "--debug_dir=debug"},
    {"display_model_info", kDebug, kConvert, 2, kUsed, "ge.display_model_info", kZeroOne, "0 1", "0",
     "1: after the conversion, print what --mode=6 prints."},
    {"export_compile_stat", kDebug, kConvert, 2, kUsed, "ge.exportCompileStat", kLateOneOf, "0 1 2", "1",
     "Write fusion_result.json: how often each pass matched and rewrote.\n"
     "0: no. 1: at the end. 2: for each graph, of which there is one.\n"
     "Without the flag it is written where ASCEND_WORK_PATH is set."},
    {"check_om", kDebug, kEvery, 2, kUsed, "", kInputFile, "", "",
     "Only check an om: is every dependency and every reuse of memory ordered by its tasks and events?\n"
     "Prints what is not, with the pair of tasks and the bytes. The name cannot be shortened.",
     "--check_om=model.om", true},
    {"gen_op_project", kDebug, kEvery, 2, kUsed, "", kInputFile, "", "",
     "Only write a project of an operator of one's own into the new folder --output: definition, kernel to fill in, "
     "aclnn\n"
     "functions, build and test. The file describes the operator: op, input_desc, output_desc, attr, as JSON.\n"
     "The name cannot be shortened.",
     "--gen_op_project=add_custom.json --output=add_custom", true},
    {"stream_report", kDebug, kConvert, 2, kUsed, "", kAny, "", "",
     "Tell of each stream its nodes and why they are there, its load and its waits, of the run the critical path, "
     "events\n"
     "by rule, and what 1 to 8 streams would give. Times are predictions. After a conversion, or with --om of an om.\n"
     "Alone: text. json: JSON. FILE.json, FILE: written there. Without --output no om is written.",
     "--stream_report=streams.json", true, true},
    {"stages", kDebug, kConvert, 2, kUsed, "", kAny, "", "",
     "Tell of each stage of the conversion how long it took, how many nodes there are after it, and what changed.\n"
     "Alone: text. json: JSON. FILE.json, FILE: written there. Without --output no om is written.",
     "--stages=stages.json", true, true},
    {"explain_node", kDebug, kConvert, 2, kUsed, "", kAny, "", "",
     "Tell what became of a node: from the source node over the rewrites, by pass, to the nodes of the compiled "
     "graph,\n"
     "with the reasons of their types, formats, engines and streams, and to their tasks; and back. The name is that of "
     "a\n"
     "source node, of a node of any stage, or #12 for task 12. After a conversion, or with --om of an om. With --json "
     "as\n"
     "JSON. Without --output no om is written.",
     "--explain_node=conv1", true},
    {"precision_report", kDebug, kConvert, 2, kUsed, "", kAny, "", "",
     "Tell of each node its type and why it has it, and forecast which node is the first whose values can leave fp16, "
     "from\n"
     "constants, ranges and --sample_inputs. Alone: text. json: JSON. FILE.json, FILE: written there. Without --output "
     "no\n"
     "om is written.",
     "--precision_report --sample_inputs=\"x:0~255\"", true, true},
    {"format_report", kDebug, kConvert, 2, kUsed, "", kAny, "", "",
     "Tell which storage formats results have, and of each TransData and Transpose that remains what it moves, because "
     "of\n"
     "which node it stays, and whether this device moves anything for it or takes it as a view. Times are predictions "
     "for an\n"
     "NPU. Alone: text. json: JSON. FILE.json, FILE: written there. Without --output no om is written.",
     "--format_report=formats.json", true, true},
    {"report", kDebug, kConvert, 2, kUsed, "", kAny, "", "",
     "Write a page for a browser: the time of each stage, the predicted run of the streams and the memory plan as "
     "pictures,\n"
     "and of each node its type, shape, stream and source, to be searched. It needs no other file and no network. "
     "Without\n"
     "--output no om is written.",
     "--report=model.html", true},
    {"bisect", kDebug, kConvert, 2, kUsed, "", kSwitch, "", "false",
     "Find the first rewrite of a pass after which an output differs from the reference evaluation of the source "
     "model,\n"
     "for --sample_inputs. Where the types of --precision_mode alone take more than the tolerance it says so, and "
     "looks in\n"
     "the types of the model. Writes no om. The exit status is 1 where there is one. With --json as JSON.",
     "--bisect --sample_inputs=\"x:x.npy\"", true},
    {"sample_inputs", kDebug, kConvert, 2, kUsed, "", kAny, "", "",
     "Data for --bisect and --precision_report: \"name:file.npy;name2:0~255\", a file (.npy, of strings too, or .bin:\n"
     "elements alone, of the type and shape of the input) or a range of values. Inputs that are not named are drawn "
     "from a normal\n"
     "distribution, integers from 0 to 3; open dims as small as they may be. For --precision_report an input may be "
     "named\n"
     "several times, for several samples, and of ranges the ends are taken too.",
     "--bisect --sample_inputs=\"x:x.npy;scale:0~1\"", true},
    {"diff", kDebug, kEvery, 2, kUsed, "", kAny, "", "",
     "Compare two om, or two dumps of a stage (ge_proto_*.txt, ge_onnx_*.pbtxt): nodes, types, formats, shapes, "
     "streams,\n"
     "events, offsets, weights by hash, attributes. Renamed nodes are known by what they read, fused ones by what "
     "stands for\n"
     "them; in which order nodes are listed makes no difference. The exit status is 0 where they are equal, 1 where "
     "they\n"
     "are not, 2 where one cannot be read. With --json as JSON.",
     "--diff before.om after.om", true, false, true},
    {"deterministic", kDebug, kConvert, 2, kHolds, "ge.deterministic", kZeroOne, "0 1", "0",
     "1: equal results in every run. Here they always are."},
    {"deterministic_level", kDebug, kConvert, 2, kHolds, "ge.deterministicLevel", kOneOf, "0 1 2 3", "0",
     "How far --deterministic goes; both 0, or neither."},
    {"status_check", kDebug, kConvert, 3, kNone, "ge.status_check", kZeroOne, "0 1", "0",
     "1: check for overflow in kernels."},
    {"op_debug_config", kDebug, kConvert, 3, kNone, "op_debug_config", kInputFile, "", "",
     "File with debug options of kernel compilation.", "--op_debug_config=debug.cfg"},
    {"op_compiler_cache_mode", kDebug, kConvert, 3, kNone, "ge.op_compiler_cache_mode", kOneOf, "disable enable force",
     "disable", "Cache compiled kernels on disk."},
    {"op_compiler_cache_dir", kDebug, kConvert, 3, kNone, "ge.op_compiler_cache_dir", kFolder, "", "",
     "Folder of that cache.", "--op_compiler_cache_dir=cache"},
    {"atomic_clean_policy", kDebug, kConvert, 3, kNone, "ge.exec.atomicCleanPolicy", kZeroOne, "0 1", "0",
     "0: clear buffers in one task. 1: one by one."},
    {"shape_generalized_build_mode", kDebug, kConvert, 2, kNone, "ge.shape_generalized_build_mode", kOneOf,
     "shape_generalized shape_precise", "shape_precise", "Deprecated."},
    {"build_config", kDebug, kConvert, 3, kNone, "ge.buildConfig", kAny, "", "", "Variables for --mode=7.",
     "--build_config=\"CXX=g++\""},

    // Not in the help
    {"auto_tune_mode", kHidden, kConvert, 2, kUsed, "", kAny, "", "", "Withdrawn."},
    {"cal_conf", kHidden, kConvert, 3, kNone, "ge.calibrationConfFile", kInputFile, "", "", "Calibration."},
    {"compress_weight_conf", kHidden, kConvert, 3, kNone, "compress_weight_conf", kInputFile, "", "",
     "Nodes whose weights are compressed."},
    {"device_id", kHidden, kConvert, 3, kNone, "ge.exec.tuneDeviceIds", kAny, "", "0", "Device for tuning."},
    {"enable_compress_weight", kHidden, kConvert, 3, kNone, "ge.enableCompressWeight", kLateTrueFalse, "true false",
     "false", "Compress weights."},
    {"save_original_model", kHidden, kConvert, 2, kUsed, "ge.saveOriginalModel", kLateTrueFalse, "true false", "false",
     "Also write <output>_original.om."},
    {"target", kHidden, kConvert, 3, kNone, "target", kAny, "", "", "Without meaning."},
};

}  // namespace

std::span<const Flag> FlagTable() { return kFlags; }

const Flag* FindFlag(std::string_view name) {
  const auto found = std::find_if(std::begin(kFlags), std::end(kFlags), [&](const Flag& f) { return f.name == name; });
  return found == std::end(kFlags) ? nullptr : found;
}

bool IsSwitch(const Flag& flag) { return flag.rule == kSwitch || flag.rule == kHelp; }

std::vector<std::string_view> Words(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const size_t blank = std::min(list.find(' '), list.size());
    if (blank > 0) words.push_back(list.substr(0, blank));
    list.remove_prefix(std::min(blank + 1, list.size()));
  }
  return words;
}

bool IsDefault(const Flag& flag, std::string_view value) {
  if (value.empty() || value == flag.fallback) return true;
  while (!value.empty()) {
    const size_t comma = std::min(value.find(','), value.size());
    if (value.substr(0, comma) != flag.fallback) return false;
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  return true;
}

bool IsPath(const Flag& flag) { return flag.rule == kInputFile || flag.rule == kOutputFile || flag.rule == kFolder; }

}  // namespace atc::cli
