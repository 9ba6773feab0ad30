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
    {"E10001", kInvalid, "value,parameter,reason", "{parameter} cannot be '{value}'. {reason}",
     "The flag takes other values, or the file or folder that it names is not as it should be; the reason says which.",
     "Correct the value; 'atc --help' lists what the flag takes."},
    {"E10002", kInputShape, "shape,reason,sample",
     "--input_shape '{shape}' cannot be read: {reason}. It is written as {sample}.",
     "A name, a ':' or a dim is missing, or a dim is no whole number.",
     "Give each input as name:dims, dims separated by ',', inputs by ';', and the whole in quotation marks."},
    {"E10003", kInvalid, "value,parameter,reason", "--{parameter} cannot be '{value}'. {reason}",
     "The value is of another type or form than the flag takes.",
     "Correct the value; 'atc --help' lists what the flag takes."},
    {"E10004", kInvalid, "parameter", "--{parameter} is empty.",
     "The flag stands in the command line without a value, or the mode needs it and it was left out.",
     "Give --{parameter} a value."},
    {"E10005", kInvalid, "value,parameter", "--{parameter} cannot be '{value}': it takes true or false.",
     "The word is spelt otherwise than true or false, in lower case.",
     "Write --{parameter}=true or --{parameter}=false."},
    {"E10006", kInvalid, "value,parameter", "--{parameter} cannot be '{value}': it takes 1 or 0.",
     "The word is neither 1 nor 0.", "Write --{parameter}=1 or --{parameter}=0."},
    {"E10007", kInvalid, "parameter,support", "--{parameter} is required and takes {support}.",
     "The flag was left out, or its number stands for no framework.",
     "Name the framework that the model comes from, for instance --framework=5 for an ONNX model."},
    {"E10008", kInvalid, "", "A Caffe model (--framework=0) needs --weight.",
     "The network of a Caffe model and its weights are two files, and only one was given.",
     "Give the .caffemodel file with --weight."},
    {"E10009", kDynamicShape, "",
     "Only one of --dynamic_batch_size, --dynamic_image_size, --dynamic_dims and --input_shape_range may be given.",
     "Two flags describe in different ways how the inputs vary.", "Keep the one that describes how the inputs vary."},
    {"E10010", kInvalid, "loglevel", "--log cannot be '{loglevel}'.", "The word is no level of the log.",
     "It takes debug, info, warning, error or null."},
    {"E10011", kInputShape, "shape,result",
     "--input_shape '{shape}' holds the dim {result}; the dims of a static shape are positive integers.",
     "A dim is 0 or negative; exporters write 0 or -1 where a size is open.",
     "Give the real size, or -1 or a range such as 1~8 for an axis that varies."},
    {"E10012", kInputShape, "",
     "--dynamic_batch_size is given, but an input named in --input_shape has no axis that could be the batch.",
     "A scalar input was listed, or its dims were left out after the ':'.",
     "Leave scalar inputs out of --input_shape."},
    {"E10013", kInvalid, "value,parameter", "--{parameter}: {value} is out of range.",
     "The number has too many digits for a whole number of 64 bits.",
     "Give a number that fits into the range of the flag."},
    {"E10014", kInvalid, "value,parameter", "--{parameter} cannot be '{value}'.",
     "The text does not follow the grammar of the flag.",
     "Check the spelling; 'atc --help' shows how the flag is written."},
    {"E10016", "Invalid_Argument_Operator_Name", "opname,parameter",
     "--{parameter} names '{opname}', which the model does not have.",
     "The name is misspelt, or several names are not separated by ';'.",
     "Use the name as the model spells it; a viewer such as Netron shows it."},
    {"E10017", kInvalid, "opname,parameter", "--{parameter} names '{opname}', which is not an input of the model.",
     "The name is that of an operator inside of the model, or of an output.",
     "Name a graph input (an operator of type Data)."},
    {"E10018", kDynamicShape, "shape,index",
     "Axis {index} of the shape {shape} is -1, but with --dynamic_batch_size only the batch, axis 0, may be.",
     "Another axis than the batch varies too.", "Fix the other axes, or use --dynamic_dims."},
    {"E10019", kInputShape, "",
     "With --dynamic_image_size, -1 may stand in --input_shape for height and width and nowhere else.",
     "Another axis varies, the input is not 4-D, or --input_format names another layout than the model has.",
     "Set height and width to -1 and fix the other axes, or use --dynamic_dims."},
    {"E10020", kInvalid, "dynamic_image_size", "--dynamic_image_size cannot be '{dynamic_image_size}'.",
     "A group has more or fewer than two sizes.", "Give pairs of height and width, for instance \"416,416;832,832\"."},
    {"E10021", kInvalid, "parameter,size", "The path given with --{parameter} is longer than {size} characters.",
     "The path has more characters than the system takes.", "Use a shorter path."},
    {"E10022", kInvalid, "filename,parameter", "--{parameter} '{filename}' names a folder, not a file.",
     "The path ends in '/'.", "Append the file name, without its suffix."},
    {"E10023", kInvalid, "value", "--singleop cannot be '{value}'.", "The value is no path of a file.",
     "Give the path of a JSON file."},
    {"E10024", kInvalid, "value", "The file {value} given with --singleop cannot be opened.",
     "The file is not there, or this user may not read it.", "Check that it exists and may be read."},
    {"E10025", kInvalid, "realpath,errmsg", "The file {realpath} given with --singleop is no valid JSON: {errmsg}.",
     "A comma, a quotation mark or a bracket is missing or too much, or the file is no list of operators.",
     "Correct the file."},
    {"E10026", kInvalid, "", "An operator in the file given with --singleop has no name.",
     "The entry has no \"op\", or an empty one.", "Set its \"op\"."},
    {"E10027", kInvalid, "attr,input_output,index,op_name",
     "The attribute {attr} of {input_output} {index} of operator {op_name} in the --singleop file is invalid.",
     "The attribute is missing, misspelt, or has a value that is not legal.", "Correct the attribute."},
    {"E10029", kInvalid, "op_name", "An attribute of operator {op_name} in the --singleop file has no name.",
     "The entry below \"attr\" has no \"name\", or an empty one.", "Name the attribute."},
    {"E10030", kInvalid, "attrname,op_name",
     "The attribute {attrname} of operator {op_name} in the --singleop file has an invalid value.",
     "The value is missing, or of another type than \"type\" says.",
     "Correct the value; it must fit the type of the attribute."},
    {"E10031", kInputShape, "", "--dynamic_batch_size is given, but no input in --input_shape has the batch -1.",
     "All inputs have a fixed batch.", "Set axis 0 of at least one input to -1."},
    {"E10032", "File_Operation_Error_Parse", "file_name,reason", "The JSON file {file_name} cannot be read: {reason}.",
     "The file is no JSON, or not arranged as the flag asks for.", "Correct the file."},
    {"E10034", kInvalid, "opname", "The input '{opname}' is fed by AIPP and so cannot be of type FP16.",
     "AIPP gives its input as UINT8, so that the same input cannot be fed as FP16.",
     "Take it out of --input_fp16_nodes."},
    {"E10035", kDynamicShape, "shapesize,minshapesize",
     "{shapesize} profiles are too few; at least {minshapesize} are needed.", "A single profile is a static shape.",
     "Give more profiles, or a static shape in place of them."},
    {"E10036", kDynamicShape, "shapesize,maxshapesize",
     "{shapesize} profiles are too many; at most {maxshapesize} are allowed.",
     "Every profile is a graph of its own in the om, so that their number is bounded.", "Give fewer profiles."},
    {"E10037", kDynamicShape, "shapesize1,shapesize2",
     "The profiles differ in length: one has {shapesize1} sizes, another {shapesize2}.",
     "A size is missing in one profile, or ',' and ';' were taken for each other.",
     "Give as many sizes in each profile."},
    {"E10038", kDynamicShape, "dim", "The size {dim} in a profile is not greater than 0.",
     "Every profile is a static shape, so that its sizes are known and positive.", "Give a positive size."},
    {"E10039", kDynamicShape, "", "A profile is given twice.", "Profiles are told apart by their sizes.",
     "Remove the repetition."},
    {"E10040", kInputShape, "",
     "Where profiles are given, --input_shape marks the axes that vary with -1 and cannot hold '~'.",
     "Profiles give the sizes themselves, so that a range says nothing.", "Write -1 in place of the range."},
    {"E10041", "Invalid_Argument_Model", "parameter", "No model can be loaded from {parameter}.",
     "The file is damaged, cut short, or of another kind.", "Make the file anew and try again."},
    {"E10045", kDynamicShape, "name,shape", "--input_shape has more -1 than a profile of --dynamic_dims has sizes.",
     "One input alone has more open dims than a profile gives sizes.",
     "Give one size for each -1, in the order of --input_shape."},
    {"E10046", kDynamicShape, "name,shape",
     "--input_shape has more -1 in all than a profile of --dynamic_dims has sizes.",
     "All inputs together have more open dims than a profile gives sizes.",
     "Give one size for each -1, in the order of --input_shape."},
    {"E10047", kInvalid, "parameter0,parameter1", "--{parameter0} and --{parameter1} cannot be given together.",
     "The two flags give contrary orders.", "Remove one of them."},
    {"E10048", kInvalid, "shape_range,reason,sample",
     "The shape range '{shape_range}' cannot be read: {reason}. It is written as {sample}.",
     "An end is missing or no number, the first end is the greater, or a bracket is missing.",
     "Write n for a fixed size, n~m for a range with both ends included, -1 for any size."},
    {"E10049", kInputShape, "shape_range_size,cur_dim_size",
     "--input_shape gives {shape_range_size} dims for an input that has {cur_dim_size}.",
     "The input has another rank in the model than in the flag.", "Give one dim for each axis of the input."},
    {"E10050", "Invalid_Argument_Tensor_Input_Shape_Range", "cur_dim,shape_range_left,shape_range_right",
     "The model fixes a dim to {cur_dim}, outside of the range {shape_range_left}~{shape_range_right} in "
     "--input_shape.",
     "The model itself fixes the axis.", "Give a range that holds the dim, or the dim itself."},
    {"E10052", kInvalid, "reason", "The AIPP configuration is invalid: {reason}.",
     "A field of the file is missing, unknown, or has a value that is not legal; the reason names it.",
     "Correct the file given with --insert_op_conf."},
    {"E10054", kInvalid, "parameter", "{parameter} is required and missing.",
     "It was left out, or a value that holds ';' or a blank is not in quotation marks, so that the shell cut the line.",
     "Give {parameter}, and put values such as --input_shape=\"a:1,3;b:1\" in quotation marks."},
    {"E10055", "Not_Supported", "reason", "Not supported: {reason}.",
     "The flag, or the combination of flags, asks for something that this version, chip or mode does not have.",
     "Leave the flag out, or give another value; 'atc --help FLAG' says what there is."},
    {"E10056", kInvalid, "parameter1,parameter2", "{parameter1} and {parameter2} cannot be given together.",
     "The two flags decide the same thing.", "Remove one of them."},
    {"E10057", kInvalid, "parameter0,parameter1",
     "--{parameter0} and --{parameter1} go together, without flags that say otherwise.",
     "One of the flags has no meaning without the other, or with a third one.",
     "Display an om with --mode=6 --om=FILE, without --framework."},
    {"E10058", kInvalid, "parameter", "{parameter} is not set, or empty.", "It was left out, or is an empty text.",
     "Set {parameter}."},
    {"E10059", kInvalid, "stage,reason", "{stage} failed: {reason}.",
     "The file is damaged, was written by another version, or holds what JSON cannot say; the reason tells which.",
     "Make the file anew with the tool that wrote it, and try again."},
    {"E10060", kInvalid, "reason", "{reason}.", "The value contradicts the model or other flags; the reason says how.",
     "Correct the flag."},
    {"E10061", kInvalid, "value,parameter,expected_value",
     "{parameter} cannot be '{value}'; expected: {expected_value}.",
     "The value is not among those that models of this framework have.", "Give one of the expected values."},
    {"E10062", "Invalid_Argument_API_Call_Sequence", "interface,reason", "{interface} failed: {reason}.",
     "A function was called before or after its time, or with what another call has given back.",
     "Check the order of the calls."},
    {"E10063", "Environment_Error", "interface,reason", "{interface} of the system failed: {reason}.",
     "The system has no memory, files or rights left for the call; the reason is its own.",
     "Check memory, disk and permissions."},
    {"E10410", "File_Operation_Error_File_Not_Exist", "cfgpath", "The file {cfgpath} does not exist.",
     "The path is misspelt, or relative to another folder than the one atc was started in.", "Check the path."},
    // Operators and model files.
    {"E10501", "Not_Supported_Operator", "opname,optype", "The operator '{opname}' has the unknown type {optype}.",
     "The type is misspelt, of a newer operator set, or of an operator of one's own.",
     "Replace the operator in the model, or register the type with a plugin."},
    {"E11001", kCaffe, "", "The network gives both input_dim and input_shape.",
     "The file was put together from two versions of the format.", "Keep one of the two."},
    {"E11003", kCaffe, "input_dim_size,input_size",
     "The network has {input_dim_size} input_dim fields for {input_size} inputs; each input takes 4.",
     "A field was lost, or added, by hand.", "Give four input_dim fields for each input."},
    {"E11004", kCaffe, "input_shape_size,input_size",
     "The network has {input_shape_size} input_shape fields for {input_size} inputs.",
     "A shape was lost, or added, by hand.", "Give one input_shape for each input."},
    {"E11005", kInputShape, "input", "The shape of the input '{input}' is not known.",
     "Neither model nor flag gives it.", "Give it with --input_shape."},
    {"E11008", kCaffe, "", "The layer type DetectionOutput is not supported.",
     "The layer ends a detection network of training.",
     "Use the FSR or SSD detection layers that the vendor names, or cut the layer off."},
    {"E11009", "Not_Supported_Operator", "opname,optype",
     "No Caffe parser is registered for the layer '{opname}' of type {optype}.",
     "The layer is one of a special version of Caffe.", "Replace the layer, or export the model to ONNX."},
    {"E11012", kCaffe, "bottom_blob,layer,bottom_index",
     "Bottom {bottom_index} of the layer '{layer}', the blob '{bottom_blob}', comes from no layer.",
     "The name is misspelt, or the layer that gives the blob was cut off.", "Correct the name of the blob."},
    {"E11014", kCaffe, "opname", "The layer '{opname}' has a top blob that cannot be found.",
     "The layer has fewer top blobs than its type gives.", "Correct the layer."},
    {"E11015", kCaffe, "opname", "The layer '{opname}' has a bottom blob that cannot be found.",
     "The layer has fewer bottom blobs than its type takes.", "Correct the layer."},
    {"E11016", kInvalid, "opname,outputindex,totlaloutputindex,inputindex,totlalinputindex",
     "Output {outputindex} of '{opname}' (of {totlaloutputindex}) cannot become model output {inputindex} (of "
     "{totlalinputindex}).",
     "An output index in --out_nodes is past the outputs of its node.", "Correct --out_nodes."},
    {"E11017", kInvalid, "opname", "--out_nodes names '{opname}', which the model does not have.",
     "The name is misspelt, or the layer was cut off.", "Use the name as the model spells it."},
    {"E11018", kCaffe, "opname", "The name of the layer '{opname}' holds characters that are not allowed.",
     "The name holds blanks or other signs that names of nodes cannot have.", "Rename the layer."},
    {"E11021", kCaffe, "realpath", "The network {realpath} is written with \"layers\", an old form that is not read.",
     "The file was written by a very old version of Caffe.", "Bring the file to the newer form with \"layer\"."},
    {"E11022", kCaffe, "", "The network file cannot be read.", "It is damaged or no prototxt.",
     "Correct the file given with --model."},
    {"E11023", kCaffe, "", "The weight file is written with \"layers\", an old form that is not read.",
     "The file was written by a very old version of Caffe.", "Bring the file to the newer form with \"layer\"."},
    {"E11024", kCaffe, "", "The weight file cannot be read.", "It is damaged, or of another network.",
     "Give the right file with --weight."},
    {"E11027", kCaffe, "layername,layertype",
     "The layer '{layername}' of type {layertype} has an input without elements.", "A dim of the layer before it is 0.",
     "Correct the shapes of the inputs."},
    {"E11029", kCaffe, "opname", "The layer '{opname}' has no weights in the weight file.",
     "Network and weights are of two models, or the layer was renamed.", "Give network and weights of one model."},
    {"E11032", kCaffe, "message_type,name,reason",
     "A message of type {message_type} cannot be read at the field '{name}': {reason}.",
     "The file does not follow the format of the network.", "Correct the file."},
    {"E11033", "Invalid_Argument_Caffe_Model_Weight", "opname,blobsize,reason",
     "The weights of the layer '{opname}', of {blobsize} elements, cannot be converted: {reason}.",
     "The blob is damaged, or of another shape than the layer asks for.", "Give network and weights of one model."},
    {"E11035", kCaffe, "opname,size", "The data layer '{opname}' has {size} top blobs in place of one.",
     "A data layer of training gives labels too.", "Give each data layer one top blob."},
    {"E11036", kCaffe, "topname", "Two data layers have the top blob '{topname}'.",
     "The layers of training and of testing are in one file.", "Rename one of them."},
    {"E11037", kCaffe, "opname", "The layer '{opname}' has no outputs.", "The layer only has an effect in training.",
     "Give the layer a top blob."},
    {"E12004", "Invalid_Argument_Operator_Input_Index", "opname,inputIdx,inputsize",
     "The operator '{opname}' asks for input {inputIdx} of {inputsize}.",
     "The registration counts inputs from the end, past the first.", "Correct the operator's registration."},
    {"E12009", kTensorFlow, "opname,inputopname", "Input '{inputopname}' of '{opname}' is not in the graph.",
     "The model was cut, and a node that is needed was left out.",
     "Freeze the model anew, with all nodes that its outputs need."},
    {"E12013", kTensorFlow, "functionname", "The model has no function '{functionname}'.",
     "The functions of the model were not saved with it, or not all of them.",
     "Freeze the model anew, with its function library."},
    {"E12029", kTensorFlow, "", "The model calls functions, but has no function library.",
     "The functions of the model were not saved with it.", "Freeze the model anew, with its function library."},
    // Files and paths.
    {"E13000", "File_Operation_Error_Invalid_Path", "path,errmsg", "The path '{path}' cannot be used: {errmsg}.",
     "The path is empty or holds what the system does not take.", "Check the path."},
    {"E13001", "File_Operation_Error_Open", "file,errmsg", "The file {file} cannot be opened: {errmsg}.",
     "The file is not there, is a folder, or this user may not use it.",
     "Check that it exists and that you may use it."},
    {"E13002", "Directory_Operation_Error_Name_Too_Long", "filepath,size",
     "The path {filepath} is longer than {size} characters.", "The system bounds the length of paths.",
     "Use a shorter path."},
    {"E13003", "File_Operation_Error_Read", "file,errmsg", "The file {file} cannot be read: {errmsg}.",
     "The disk or the network that holds the file failed, or the file was changed while it was read.",
     "Check the file and the disk."},
    {"E13004", "File_Operation_Error_Write", "file,errmsg", "The file {file} cannot be written: {errmsg}.",
     "The disk is full, or this user may not write there.",
     "Check the permissions of the folder and the space left on the disk."},
    {"E13005", "File_Operation_Error_Parse", "file", "The file {file} is not a model of the kind expected.",
     "It is damaged, cut short, or of another format than --framework says.", "Export the model anew."},
    {"E13006", "File_Operation_Error_Parse", "file,current_type,expect_type",
     "The file {file} is of type {current_type}; expected: {expect_type}.",
     "The file was renamed, or is of another tool.", "Give a file of the expected type."},
    {"E13009", "Invalid_Argument_Operator_Name", "opname", "The model has two operators named '{opname}'.",
     "The model was put together from parts that use the same names.", "Give each operator a name of its own."},
    {"E13010", "Not_Supported_Operator", "opname,optype", "No parser is registered for '{opname}' of type {optype}.",
     "The operator is new, rare, or one of the user's own.", "Replace the operator in the model."},
    {"E13014", kInvalid, "value,parameter,opname,reason",
     "{parameter} of the operator '{opname}' cannot be {value}. {reason}",
     "The model breaks a rule of its operator; the exporter or an edit of the model made it so.",
     "Correct the operator in the model."},
    {"E13015", "File_Operation_Error_Invalid_File_Size", "file,size,maxsize",
     "The file {file} has {size} bytes; it must have at least 1 and at most {maxsize}.",
     "The file is empty, or larger than one message of its format may be.",
     "Check that the file was copied whole; keep tensors of very large models in external data files."},
    {"E13018", "File_Operation_Error_Parse", "protofile", "The file {protofile} is no valid text-format message.",
     "A field is misspelt, a bracket is missing, or the file is of another kind.", "Correct the file."},
    {"E13023", "Invalid_Argument_OM_Model_Size", "item,size,maxsize",
     "{item} would take {size} bytes; the limit of the format is {maxsize} bytes.",
     "The weights or another part of the model are larger than the om can address.",
     "Split the model, or keep its weights in a narrower type."},
    {"E13024", "Config_Error_Invalid_Environment_Variable", "value,env,situation",
     "The environment variable {env} cannot be '{value}'. {situation}",
     "The variable is set to something that it does not take.", "Correct or unset the variable."},
    {"E13025", kInvalid, "reason", "An input or output buffer does not fit the model: {reason}.",
     "The buffer is smaller or larger than the tensor, or of another model.",
     "Give buffers of the sizes that the model description tells."},
    {"E13026", "File_Operation_Error_Invalid_Path", "pathname,reason",
     "The path '{pathname}' cannot be used: {reason}.", "The path is not there, or not of the kind that is asked for.",
     "Check the path."},
    {"E13028", "Compilation_Error_Execute_Custom_Fusion_Pass", "passname,retcode,reason",
     "The custom pass {passname} failed with the status {retcode}: {reason}.",
     "The code of the pass returned a failure, or left a graph that is not valid.",
     "Correct the pass."},
    {"E13029", "Compilation_Error_Load_Custom_Fusion_Pass", "passlibname,reason",
     "The pass library {passlibname} cannot be loaded: {reason}.",
     "The library is of another version, or a library that it needs is missing.",
     "Rebuild the library against this version."},
    {"E13030", "Initialization_Error_Register_Custom_Fusion_Pass", "passname,reason",
     "The custom pass {passname} has no function to run: {reason}.", "The pass was registered by name alone.",
     "Register the pass with its function."},
    {"E14001", "Invalid_Argument_Operator_Compilation_Parameter", "value,opname,optype,reason",
     "{value} of the operator '{opname}' ({optype}) is invalid: {reason}.",
     "Types, formats or shapes of the operator do not fit to each other.", "Correct the operator in the model."},
    {"E14002", "Invalid_Argument_Tensor_Attribute", "attribute,reason",
     "The attribute {attribute} is needed and cannot be had: {reason}.",
     "An attribute was lost when the model was made or edited.", "Correct the model."},
    {"E16001", kOnnx, "value", "The model has no graph {value}.", "The exporter, or an edit, left the list empty.",
     "Export the model anew, with declared {value}s."},
    {"E16002", kOnnx, "optype", "No ONNX parser is registered for: {optype}",
     "The operator, or its version in the operator set that the model imports, cannot be read here.",
     "Replace the operators in the model, for instance by exporting with another opset, or register them with a "
     "plugin."},
    {"E16004", kOnnx, "", "The ONNX model has no graph.", "The file holds metadata alone, or is no model.",
     "Export the model anew."},
    {"E16005", kOnnx, "domain_version_size",
     "The ONNX model imports one operator set {domain_version_size} times with differing versions.",
     "Models of several exporters were merged.", "Keep one opset_import for each domain."},
    {"E19999", "Inner_Error", "reason", "{reason}", "A fault of the program itself, or a lack of memory.",
     "Try again with free memory; where it comes back, report the command line and the model."},
    // Fusion engine and kernel selection.
    {"E20001", "Compilation_Error", "opname,optype", "The operator '{opname}' of type {optype} cannot be compiled.",
     "No kernel takes the operator with its types, formats and shapes.",
     "Convert with another precision mode, or replace the operator in the model."},
    {"E20003", "Config_Error", "item,file,reason", "{item} in the configuration file {file} is invalid: {reason}.",
     "The item is misspelt, or has a value that is not legal.", "Correct the file."},
    {"E20007", "Compilation_Error", "pass_name,pass_type", "The fusion pass {pass_name} ({pass_type}) failed.",
     "The code of the pass met a graph that it cannot rewrite.", "Switch the pass off with --fusion_switch_file."},
    {"E20101", kInvalid, "value,parameter,reason", "{parameter} cannot be '{value}'. {reason}",
     "The name of the chip or the value is misspelt; upper and lower case matter.",
     "Give a chip that is known, spelt as npu-smi shows it with 'Ascend' before it."},
    {"E20103", kInvalid, "value,parameter,range", "{parameter} cannot be '{value}': it must be within {range}.",
     "The chip has fewer of it.", "Give a number within the range."},
    {"E21001", "File_Operation_Error_Open", "file,reason", "The configuration file {file} cannot be opened: {reason}.",
     "The file is not there, or this user may not read it.", "Check that it exists and may be read."},
    {"E21002", "File_Operation_Error_Parse", "file,reason", "The configuration file {file} cannot be read: {reason}.",
     "The file is neither of the two forms that the flag takes, or a bracket is missing.", "Correct the file."},
    {"E40021", "Compilation_Error", "opname", "The kernel of the operator '{opname}' cannot be compiled.",
     "The kernel does not take these types, formats or shapes.",
     "Replace the operator, or keep it out of the precision mode that asks for the kernel."},
    {"EZ3002", "Unsupported_Operator", "optype,opskernel,reason",
     "{opskernel} does not take operators of type {optype}: {reason}.",
     "The types, formats or shapes of the operator are not among those of the kernels.",
     "Replace the operator in the model."},
    {"EZ3003", "Unsupported_Operator", "opname,optype", "No engine takes '{opname}' of type {optype}.",
     "Every kernel library refused the operator; the messages before say why.", "Replace the operator in the model."},
    // Warnings.
    {"W10001", "Ignored_Argument", "parameter,reason", "No effect: {parameter}. {reason}",
     "The flag is of use with the vendor's hardware or tools only.", "Leave it out, or correct a misspelt name, to be rid of this warning."},
    {"W10002", "Config_Warning", "env,value,situation", "The environment variable {env} is '{value}'. {situation}",
     "The value is not legal, the name is misspelt, or the variable has no meaning here.",
     "Correct the variable, or unset it."},
    {"W11001", "Performance_Warning", "opname", "The operator '{opname}' is not served by its preferred kernels.",
     "The chip has no kernel of the first choice for these types and shapes.",
     "Nothing needs to be done; another precision mode may find a faster kernel."},
    {"W11002", "Config_Warning", "filename,opname", "The file {filename} names nodes that the graph lacks: {opname}.",
     "The names are misspelt, or the nodes were merged into others.", "Remove the names."},
    {"W11003", "Performance_Warning", "opname,implmode", "The operator '{opname}' lacks a {implmode} kernel.",
     "The mode that --op_select_implmode asks for has no kernel of its own.",
     "Leave the operator's type out of --optypelist_for_implmode."},
    {"W19999", "Inner_Warning", "reason", "{reason}",
     "Something in the model or the surroundings is unusual, and the conversion went on.",
     "Read the message; where it is as intended, nothing needs to be done."},
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
