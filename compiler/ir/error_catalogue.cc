#include "compiler/ir/error_catalogue.h"

#include <algorithm>

namespace atc {
namespace {

constexpr std::string_view kInvalid = "Invalid_Argument";
constexpr std::string_view kInputShape = "Invalid_Argument_Tensor_Input_Shape";
constexpr std::string_view kDynamicShape = "Invalid_Argument_Tensor_Dynamic_Shape";
constexpr std::string_view kOnnx = "Invalid_Argument_ONNX_Model_Data";
constexpr std::string_view kCaffe = "Invalid_Argument_Caffe_Model_Data";
constexpr std::string_view kTensorFlow = "Invalid_Argument_TensorFlow_Model_Data";

constexpr ErrorEntry kCatalogue[] = {
    // Flags.
    {"E10001", kInvalid, "value,parameter,reason", "{parameter} cannot be '{value}'. {reason}", "",
     "Correct the value; 'atc --help' lists what the flag takes."},
    {"E10002", kInputShape, "shape,reason,sample",
     "--input_shape '{shape}' cannot be read: {reason}. It is written as {sample}.", "",
     "Give each input as name:dims, dims separated by ',', inputs by ';', and the whole in quotation marks."},
    {"E10003", kInvalid, "value,parameter,reason", "--{parameter} cannot be '{value}'. {reason}", "",
     "Correct the value; 'atc --help' lists what the flag takes."},
    {"E10004", kInvalid, "parameter", "--{parameter} is empty.", "", "Give --{parameter} a value."},
    {"E10005", kInvalid, "value,parameter", "--{parameter} cannot be '{value}': it takes true or false.", "",
     "Write --{parameter}=true or --{parameter}=false."},
    {"E10006", kInvalid, "value,parameter", "--{parameter} cannot be '{value}': it takes 1 or 0.", "",
     "Write --{parameter}=1 or --{parameter}=0."},
    {"E10007", kInvalid, "parameter,support", "--{parameter} is required and takes {support}.", "",
     "Name the framework that the model comes from, for instance --framework=5 for an ONNX model."},
    {"E10008", kInvalid, "", "A Caffe model (--framework=0) needs --weight.", "",
     "Give the .caffemodel file with --weight."},
    {"E10009", kDynamicShape, "",
     "Only one of --dynamic_batch_size, --dynamic_image_size, --dynamic_dims and --input_shape_range may be given.", "",
     "Keep the one that describes how the inputs vary."},
    {"E10010", kInvalid, "loglevel", "--log cannot be '{loglevel}'.", "",
     "It takes debug, info, warning, error or null."},
    {"E10011", kInputShape, "shape,result",
     "--input_shape '{shape}' holds the dim {result}; the dims of a static shape are positive integers.", "",
     "Give the real size, or -1 or a range such as 1~8 for an axis that varies."},
    {"E10012", kInputShape, "",
     "--dynamic_batch_size is given, but an input named in --input_shape has no axis that could be the batch.", "",
     "Leave scalar inputs out of --input_shape."},
    {"E10013", kInvalid, "value,parameter", "--{parameter}: {value} is out of range.", "",
     "Give a number that fits into the range of the flag."},
    {"E10014", kInvalid, "value,parameter", "--{parameter} cannot be '{value}'.", "",
     "Check the spelling; 'atc --help' shows how the flag is written."},
    {"E10016", "Invalid_Argument_Operator_Name", "opname,parameter",
     "--{parameter} names '{opname}', which the model does not have.",
     "The name is misspelt, or several names are not separated by ';'.",
     "Use the name as the model spells it; a viewer such as Netron shows it."},
    {"E10017", kInvalid, "opname,parameter", "--{parameter} names '{opname}', which is not an input of the model.", "",
     "Name a graph input (an operator of type Data)."},
    {"E10018", kDynamicShape, "shape,index",
     "Axis {index} of the shape {shape} is -1, but with --dynamic_batch_size only the batch, axis 0, may be.", "",
     "Fix the other axes, or use --dynamic_dims."},
    {"E10019", kInputShape, "",
     "With --dynamic_image_size, -1 may stand in --input_shape for height and width and nowhere else.", "",
     "Set height and width to -1 and fix the other axes, or use --dynamic_dims."},
    {"E10020", kInvalid, "dynamic_image_size", "--dynamic_image_size cannot be '{dynamic_image_size}'.", "",
     "Give pairs of height and width, for instance \"416,416;832,832\"."},
    {"E10021", kInvalid, "parameter,size", "The path given with --{parameter} is longer than {size} characters.", "",
     "Use a shorter path."},
    {"E10022", kInvalid, "filename,parameter", "--{parameter} '{filename}' names a folder, not a file.", "",
     "Append the file name, without its suffix."},
    {"E10023", kInvalid, "value", "--singleop cannot be '{value}'.", "", "Give the path of a JSON file."},
    {"E10024", kInvalid, "value", "The file {value} given with --singleop cannot be opened.", "",
     "Check that it exists and may be read."},
    {"E10025", kInvalid, "realpath,errmsg", "The file {realpath} given with --singleop is no valid JSON: {errmsg}.", "",
     "Correct the file."},
    {"E10026", kInvalid, "", "An operator in the file given with --singleop has no name.", "", "Set its \"op\"."},
    {"E10027", kInvalid, "attr,input_output,index,op_name",
     "The attribute {attr} of {input_output} {index} of operator {op_name} in the --singleop file is invalid.", "",
     "Correct the attribute."},
    {"E10029", kInvalid, "op_name", "An attribute of operator {op_name} in the --singleop file has no name.", "",
     "Name the attribute."},
    {"E10030", kInvalid, "attrname,op_name",
     "The attribute {attrname} of operator {op_name} in the --singleop file has an invalid value.", "",
     "Correct the value; it must fit the type of the attribute."},
    {"E10031", kInputShape, "", "--dynamic_batch_size is given, but no input in --input_shape has the batch -1.", "",
     "Set axis 0 of at least one input to -1."},
    {"E10032", "File_Operation_Error_Parse", "file_name,reason", "The JSON file {file_name} cannot be read: {reason}.",
     "", "Correct the file."},
    {"E10034", kInvalid, "opname", "The input '{opname}' is fed by AIPP and so cannot be of type FP16.", "",
     "Take it out of --input_fp16_nodes."},
    {"E10035", kDynamicShape, "shapesize,minshapesize",
     "{shapesize} profiles are too few; at least {minshapesize} are needed.", "",
     "Give more profiles, or a static shape in place of them."},
    {"E10036", kDynamicShape, "shapesize,maxshapesize",
     "{shapesize} profiles are too many; at most {maxshapesize} are allowed.", "", "Give fewer profiles."},
    {"E10037", kDynamicShape, "shapesize1,shapesize2",
     "The profiles differ in length: one has {shapesize1} sizes, another {shapesize2}.", "",
     "Give as many sizes in each profile."},
    {"E10038", kDynamicShape, "dim", "The size {dim} in a profile is not greater than 0.", "", "Give a positive size."},
    {"E10039", kDynamicShape, "", "A profile is given twice.", "", "Remove the repetition."},
    {"E10040", kInputShape, "",
     "Where profiles are given, --input_shape marks the axes that vary with -1 and cannot hold '~'.", "",
     "Write -1 in place of the range."},
    {"E10041", "Invalid_Argument_Model", "parameter", "No model can be loaded from {parameter}.",
     "The file is damaged, cut short, or of another kind.", "Make the file anew and try again."},
    {"E10045", kDynamicShape, "name,shape", "--input_shape has more -1 than a profile of --dynamic_dims has sizes.", "",
     "Give one size for each -1, in the order of --input_shape."},
    {"E10046", kDynamicShape, "name,shape",
     "--input_shape has more -1 in all than a profile of --dynamic_dims has sizes.", "",
     "Give one size for each -1, in the order of --input_shape."},
    {"E10047", kInvalid, "parameter0,parameter1", "--{parameter0} and --{parameter1} cannot be given together.", "",
     "Remove one of them."},
    {"E10048", kInvalid, "shape_range,reason,sample",
     "The shape range '{shape_range}' cannot be read: {reason}. It is written as {sample}.", "",
     "Write n for a fixed size, n~m for a range with both ends included, -1 for any size."},
    {"E10049", kInputShape, "shape_range_size,cur_dim_size",
     "--input_shape gives {shape_range_size} dims for an input that has {cur_dim_size}.", "",
     "Give one dim for each axis of the input."},
    {"E10050", "Invalid_Argument_Tensor_Input_Shape_Range", "cur_dim,shape_range_left,shape_range_right",
     "The model fixes a dim to {cur_dim}, outside of the range {shape_range_left}~{shape_range_right} in "
     "--input_shape.",
     "", "Give a range that holds the dim, or the dim itself."},
    {"E10052", kInvalid, "reason", "The AIPP configuration is invalid: {reason}.", "",
     "Correct the file given with --insert_op_conf."},
    {"E10054", kInvalid, "parameter", "{parameter} is required and missing.",
     "It was left out, or a value that holds ';' or a blank is not in quotation marks, so that the shell cut the line.",
     "Give {parameter}, and put values such as --input_shape=\"a:1,3;b:1\" in quotation marks."},
    {"E10055", "Not_Supported", "reason", "Not supported: {reason}.", "", ""},
    {"E10056", kInvalid, "parameter1,parameter2", "{parameter1} and {parameter2} cannot be given together.", "",
     "Remove one of them."},
    {"E10057", kInvalid, "parameter0,parameter1",
     "--{parameter0} and --{parameter1} go together, without flags that say otherwise.", "",
     "Display an om with --mode=6 --om=FILE, without --framework."},
    {"E10058", kInvalid, "parameter", "{parameter} is not set, or empty.", "", "Set {parameter}."},
    {"E10059", kInvalid, "stage,reason", "{stage} failed: {reason}.", "", ""},
    {"E10060", kInvalid, "reason", "{reason}.", "", "Correct the flag."},
    {"E10061", kInvalid, "value,parameter,expected_value",
     "{parameter} cannot be '{value}'; expected: {expected_value}.", "", "Give one of the expected values."},
    {"E10062", "Invalid_Argument_API_Call_Sequence", "interface,reason", "{interface} failed: {reason}.", "",
     "Check the order of the calls."},
    {"E10063", "Environment_Error", "interface,reason", "{interface} of the system failed: {reason}.", "",
     "Check memory, disk and permissions."},
    {"E10410", "File_Operation_Error_File_Not_Exist", "cfgpath", "The file {cfgpath} does not exist.", "",
     "Check the path."},
    // Operators and model files.
    {"E10501", "Not_Supported_Operator", "opname,optype", "The operator '{opname}' has the unknown type {optype}.", "",
     "Replace the operator in the model, or register the type with a plugin."},
    {"E11001", kCaffe, "", "The network gives both input_dim and input_shape.", "", "Keep one of the two."},
    {"E11003", kCaffe, "input_dim_size,input_size",
     "The network has {input_dim_size} input_dim fields for {input_size} inputs; each input takes 4.", "",
     "Give four input_dim fields for each input."},
    {"E11004", kCaffe, "input_shape_size,input_size",
     "The network has {input_shape_size} input_shape fields for {input_size} inputs.", "",
     "Give one input_shape for each input."},
    {"E11005", kInputShape, "input", "The shape of the input '{input}' is not known.",
     "Neither model nor flag gives it.", "Give it with --input_shape."},
    {"E11008", kCaffe, "", "The layer type DetectionOutput is not supported.", "",
     "Use the FSR or SSD detection layers that the vendor names, or cut the layer off."},
    {"E11009", "Not_Supported_Operator", "opname,optype",
     "No Caffe parser is registered for the layer '{opname}' of type {optype}.", "",
     "Replace the layer, or export the model to ONNX."},
    {"E11012", kCaffe, "bottom_blob,layer,bottom_index",
     "Bottom {bottom_index} of the layer '{layer}', the blob '{bottom_blob}', comes from no layer.", "",
     "Correct the name of the blob."},
    {"E11014", kCaffe, "opname", "The layer '{opname}' has a top blob that cannot be found.", "", "Correct the layer."},
    {"E11015", kCaffe, "opname", "The layer '{opname}' has a bottom blob that cannot be found.", "",
     "Correct the layer."},
    {"E11016", kInvalid, "opname,outputindex,totlaloutputindex,inputindex,totlalinputindex",
     "Output {outputindex} of '{opname}' (of {totlaloutputindex}) cannot become model output {inputindex} (of "
     "{totlalinputindex}).",
     "", "Correct --out_nodes."},
    {"E11017", kInvalid, "opname", "--out_nodes names '{opname}', which the model does not have.", "",
     "Use the name as the model spells it."},
    {"E11018", kCaffe, "opname", "The name of the layer '{opname}' holds characters that are not allowed.", "",
     "Rename the layer."},
    {"E11021", kCaffe, "realpath", "The network {realpath} is written with \"layers\", an old form that is not read.",
     "", "Bring the file to the newer form with \"layer\"."},
    {"E11022", kCaffe, "", "The network file cannot be read.", "It is damaged or no prototxt.",
     "Correct the file given with --model."},
    {"E11023", kCaffe, "", "The weight file is written with \"layers\", an old form that is not read.", "",
     "Bring the file to the newer form with \"layer\"."},
    {"E11024", kCaffe, "", "The weight file cannot be read.", "It is damaged, or of another network.",
     "Give the right file with --weight."},
    {"E11027", kCaffe, "layername,layertype",
     "The layer '{layername}' of type {layertype} has an input without elements.", "",
     "Correct the shapes of the inputs."},
    {"E11029", kCaffe, "opname", "The layer '{opname}' has no weights in the weight file.", "",
     "Give network and weights of one model."},
    {"E11032", kCaffe, "message_type,name,reason",
     "A message of type {message_type} cannot be read at the field '{name}': {reason}.", "", "Correct the file."},
    {"E11033", "Invalid_Argument_Caffe_Model_Weight", "opname,blobsize,reason",
     "The weights of the layer '{opname}', of {blobsize} elements, cannot be converted: {reason}.", "",
     "Give network and weights of one model."},
    {"E11035", kCaffe, "opname,size", "The data layer '{opname}' has {size} top blobs in place of one.", "",
     "Give each data layer one top blob."},
    {"E11036", kCaffe, "topname", "Two data layers have the top blob '{topname}'.", "", "Rename one of them."},
    {"E11037", kCaffe, "opname", "The layer '{opname}' has no outputs.", "", "Give the layer a top blob."},
    {"E12004", "Invalid_Argument_Operator_Input_Index", "opname,inputIdx,inputsize",
     "The operator '{opname}' asks for input {inputIdx} of {inputsize}.", "", "Correct the operator's registration."},
    {"E12009", kTensorFlow, "opname,inputopname", "Input '{inputopname}' of '{opname}' is not in the graph.", "",
     "Freeze the model anew, with all nodes that its outputs need."},
    {"E12013", kTensorFlow, "functionname", "The model has no function '{functionname}'.", "",
     "Freeze the model anew, with its function library."},
    {"E12029", kTensorFlow, "", "The model calls functions, but has no function library.", "",
     "Freeze the model anew, with its function library."},
    // Files and paths.
    {"E13000", "File_Operation_Error_Invalid_Path", "path,errmsg", "The path '{path}' cannot be used: {errmsg}.", "",
     "Check the path."},
    {"E13001", "File_Operation_Error_Open", "file,errmsg", "The file {file} cannot be opened: {errmsg}.", "",
     "Check that it exists and that you may use it."},
    {"E13002", "Directory_Operation_Error_Name_Too_Long", "filepath,size",
     "The path {filepath} is longer than {size} characters.", "", "Use a shorter path."},
    {"E13003", "File_Operation_Error_Read", "file,errmsg", "The file {file} cannot be read: {errmsg}.", "",
     "Check the file and the disk."},
    {"E13004", "File_Operation_Error_Write", "file,errmsg", "The file {file} cannot be written: {errmsg}.", "",
     "Check the permissions of the folder and the space left on the disk."},
    {"E13005", "File_Operation_Error_Parse", "file", "The file {file} is not a model of the kind expected.",
     "It is damaged, cut short, or of another format than --framework says.", "Export the model anew."},
    {"E13006", "File_Operation_Error_Parse", "file,current_type,expect_type",
     "The file {file} is of type {current_type}; expected: {expect_type}.", "", "Give a file of the expected type."},
    {"E13009", "Invalid_Argument_Operator_Name", "opname", "The model has two operators named '{opname}'.", "",
     "Give each operator a name of its own."},
    {"E13010", "Not_Supported_Operator", "opname,optype", "No parser is registered for '{opname}' of type {optype}.",
     "", "Replace the operator in the model."},
    {"E13014", kInvalid, "value,parameter,opname,reason",
     "{parameter} of the operator '{opname}' cannot be {value}. {reason}", "", "Correct the operator in the model."},
    {"E13015", "File_Operation_Error_Invalid_File_Size", "file,size,maxsize",
     "The file {file} has {size} bytes; it must have at least 1 and at most {maxsize}.", "",
     "Check that the file was copied whole; keep tensors of very large models in external data files."},
    {"E13018", "File_Operation_Error_Parse", "protofile", "The file {protofile} is no valid text-format message.", "",
     "Correct the file."},
    {"E13023", "Invalid_Argument_OM_Model_Size", "item,size,maxsize",
     "{item} would take {size} bytes; the limit of the format is {maxsize} bytes.", "",
     "Split the model, or keep its weights in a narrower type."},
    {"E13024", "Config_Error_Invalid_Environment_Variable", "value,env,situation",
     "The environment variable {env} cannot be '{value}'. {situation}", "", "Correct or unset the variable."},
    {"E13025", kInvalid, "reason", "An input or output buffer does not fit the model: {reason}.", "",
     "Give buffers of the sizes that the model description tells."},
    {"E13026", "File_Operation_Error_Invalid_Path", "pathname,reason",
     "The path '{pathname}' cannot be used: {reason}.", "", "Check the path."},
    {"E13028", "Compilation_Error_Execute_Custom_Fusion_Pass", "passname,retcode,reason",
     "The custom pass {passname} failed with {retcode}: {reason}.", "", "Correct the pass."},
    {"E13029", "Compilation_Error_Load_Custom_Fusion_Pass", "passlibname,reason",
     "The pass library {passlibname} cannot be loaded: {reason}.", "", "Rebuild the library against this version."},
    {"E13030", "Initialization_Error_Register_Custom_Fusion_Pass", "passname,reason",
     "The custom pass {passname} has no function to run: {reason}.", "", "Register the pass with its function."},
    {"E14001", "Invalid_Argument_Operator_Compilation_Parameter", "value,opname,optype,reason",
     "{value} of the operator '{opname}' ({optype}) is invalid: {reason}.", "", "Correct the operator in the model."},
    {"E14002", "Invalid_Argument_Tensor_Attribute", "attribute,reason",
     "The attribute {attribute} is needed and cannot be had: {reason}.", "", "Correct the model."},
    {"E16001", kOnnx, "value", "The model has no graph {value}.", "", "Export the model anew, with declared {value}s."},
    {"E16002", kOnnx, "optype", "No ONNX parser is registered for: {optype}", "",
     "Replace the operators in the model, for instance by exporting with another opset, or register them with a "
     "plugin."},
    {"E16004", kOnnx, "", "The ONNX model has no graph.", "", "Export the model anew."},
    {"E16005", kOnnx, "domain_version_size",
     "The ONNX model imports one operator set {domain_version_size} times with differing versions.", "",
     "Keep one opset_import for each domain."},
    {"E19999", "Inner_Error", "reason", "{reason}", "", ""},
    // Fusion engine and kernel selection.
    {"E20001", "Compilation_Error", "opname,optype", "The operator '{opname}' of type {optype} cannot be compiled.", "",
     ""},
    {"E20003", "Config_Error", "item,file,reason", "{item} in the configuration file {file} is invalid: {reason}.", "",
     "Correct the file."},
    {"E20007", "Compilation_Error", "pass_name,pass_type", "The fusion pass {pass_name} ({pass_type}) failed.", "",
     "Switch the pass off with --fusion_switch_file."},
    {"E20101", kInvalid, "value,parameter,reason", "{parameter} cannot be '{value}'. {reason}", "",
     "Give a chip that is known, spelt as npu-smi shows it with 'Ascend' before it."},
    {"E20103", kInvalid, "value,parameter,range", "{parameter} cannot be '{value}': it must be within {range}.", "",
     "Give a number within the range."},
    {"E21001", "File_Operation_Error_Open", "file,reason", "The configuration file {file} cannot be opened: {reason}.",
     "", "Check that it exists and may be read."},
    {"E21002", "File_Operation_Error_Parse", "file,reason", "The configuration file {file} cannot be read: {reason}.",
     "", "Correct the file."},
    {"E40021", "Compilation_Error", "opname", "The kernel of the operator '{opname}' cannot be compiled.", "",
     "Replace the operator, or keep it out of the precision mode that asks for the kernel."},
    {"EZ3002", "Unsupported_Operator", "optype,opskernel,reason",
     "{opskernel} does not take operators of type {optype}: {reason}.", "", "Replace the operator in the model."},
    {"EZ3003", "Unsupported_Operator", "opname,optype", "No engine takes '{opname}' of type {optype}.", "",
     "Replace the operator in the model."},
    // Warnings.
    {"W10001", "Ignored_Argument", "parameter,reason", "No effect: {parameter}. {reason}", "",
     "Leave the flags out to be rid of this warning."},
    {"W10002", "Config_Warning", "env,value,situation", "The environment variable {env} is '{value}'. {situation}", "",
     "Correct the variable, or unset it."},
    {"W11001", "Performance_Warning", "opname", "The operator '{opname}' is not served by its preferred kernels.", "",
     ""},
    {"W11002", "Config_Warning", "filename,opname", "The file {filename} names nodes that the graph lacks: {opname}.",
     "", "Remove the names."},
    {"W11003", "Performance_Warning", "opname,implmode", "The operator '{opname}' lacks a {implmode} kernel.", "", ""},
    {"W19999", "Inner_Warning", "reason", "{reason}", "", ""},
};

// The value of an argument; null when the thrower gave none.
const std::string* FindArgument(const Diagnostic& diagnostic, std::string_view name) {
  for (const auto& [key, value] : diagnostic.args) {
    if (key == name) return &value;
  }
  return nullptr;
}

// Puts the arguments in place of {name}. A brace inside a value is left alone: the result is not scanned again.
std::string Substitute(std::string_view text, const Diagnostic& diagnostic) {
  std::string out;
  while (true) {
    const size_t open = text.find('{');
    if (open == std::string_view::npos) break;
    const size_t close = text.find('}', open);
    if (close == std::string_view::npos) break;
    out += text.substr(0, open);
    const std::string* value = FindArgument(diagnostic, text.substr(open + 1, close - open - 1));
    out += value ? *value : "?";
    text.remove_prefix(close + 1);
    // A reason may or may not be a whole sentence; the sentence around it ends once.
    if (out.ends_with('.') && text.starts_with('.')) text.remove_prefix(1);
  }
  return out.append(text);
}

bool NamesArgument(std::string_view args, std::string_view name) {
  while (!args.empty()) {
    const size_t comma = std::min(args.find(','), args.size());
    if (args.substr(0, comma) == name) return true;
    args.remove_prefix(std::min(comma + 1, args.size()));
  }
  return false;
}

}  // namespace

std::span<const ErrorEntry> ErrorCatalogue() { return kCatalogue; }

const ErrorEntry* FindErrorEntry(std::string_view code) {
  for (const ErrorEntry& entry : kCatalogue) {
    if (entry.code == code) return &entry;
  }
  return nullptr;
}

std::string MessageText(const Diagnostic& diagnostic) {
  const ErrorEntry* entry = FindErrorEntry(diagnostic.code);
  std::string text = entry ? Substitute(entry->text, diagnostic) : "";
  for (const auto& [name, value] : diagnostic.args) {
    if (entry && NamesArgument(entry->args, name)) continue;
    if (name == "reason" && text.ends_with('.')) {  // the commonest: it goes on with the sentence
      text.replace(text.size() - 1, 1, ": " + value + (value.ends_with('.') ? "" : "."));
      continue;
    }
    if (!text.empty()) text += ' ';
    text += "(" + name + ": " + value + ")";
  }
  return text;
}

std::string SolutionText(const Diagnostic& diagnostic) {
  if (!diagnostic.cure.empty()) return diagnostic.cure;
  const ErrorEntry* entry = FindErrorEntry(diagnostic.code);
  return entry ? Substitute(entry->solution, diagnostic) : "";
}

}  // namespace atc
