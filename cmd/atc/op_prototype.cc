#include "cmd/atc/op_prototype.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <map>

#include "cmd/atc/op_names.h"
#include "compiler/ir/error.h"

namespace atc::cli {
namespace {

using nlohmann::json;

constexpr AttrWords kAttrWords[] = {
    {"bool", "bool %", "aclopSetAttrBool(opAttr, \"%\", %)", "bool"},
    {"float", "double %", "aclopSetAttrFloat(opAttr, \"%\", static_cast<float>(%))", "float"},
    {"int", "int64_t %", "aclopSetAttrInt(opAttr, \"%\", %)", "int64_t"},
    {"list_float", "const float *%, int %Size", "aclopSetAttrListFloat(opAttr, \"%\", %Size, %)", "std::vector<float>"},
    {"list_int", "const int64_t *%, int %Size", "aclopSetAttrListInt(opAttr, \"%\", %Size, %)", "std::vector<int64_t>"},
    {"string", "const char *%", "aclopSetAttrString(opAttr, \"%\", %)", "ge::AscendString"},
};

struct TypeWord {
  const char* word;
  const char* type;
};
constexpr TypeWord kTypeWords[] = {
    {"bf16", "DT_BF16"},     {"bfloat16", "DT_BF16"}, {"bool", "DT_BOOL"},     {"double", "DT_DOUBLE"}, {"float", "DT_FLOAT"},
    {"float16", "DT_FLOAT16"}, {"float32", "DT_FLOAT"}, {"fp16", "DT_FLOAT16"},  {"fp32", "DT_FLOAT"},    {"int16", "DT_INT16"},
    {"int32", "DT_INT32"},   {"int64", "DT_INT64"},   {"int8", "DT_INT8"},     {"uint16", "DT_UINT16"}, {"uint32", "DT_UINT32"},
    {"uint64", "DT_UINT64"}, {"uint8", "DT_UINT8"},
};

struct Reader {
  const std::string& path;

  [[noreturn]] void Refuse(const std::string& reason) const {
    throw Error("E10001", {{"value", path}, {"parameter", "--gen_op_project"}, {"reason", reason + "."}}, "Correct the description of the operator.");
  }

  std::string Text(const json& object, const char* key) const {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) Refuse(fmt::format("'{}' is absent or no text", key));
    return found->get<std::string>();
  }

  // A name that is one in C++ too.
  std::string Identifier(const json& object, const char* key) const {
    const std::string name = Text(object, key);
    bool good = !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0);
    for (const char c : name) good = good && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_');
    if (!good) Refuse(fmt::format("'{}' is \"{}\"; a name begins with a letter and goes on with letters, digits and '_'", key, name));
    return name;
  }

  std::string ParameterName(const json& object) const {
    const std::string name = Identifier(object, "name");
    if (const std::string fault = FaultOfParameterName(name); !fault.empty()) {
      Refuse(fmt::format("the name '{}' {}; a tensor or attribute needs another", name, fault));
    }
    return name;
  }

  std::string OperatorName(const json& object) const {
    const std::string name = Identifier(object, "op");
    if (const std::string fault = FaultOfOperatorName(name); !fault.empty()) {
      Refuse(fmt::format("the name '{}' {}; the operator needs another, for instance '{}Custom'", name, fault, name));
    }
    return name;
  }

  // What an ONNX node says of itself, as a text in C++ is to hold it.
  std::string OnnxName(const json& onnx, const char* key, std::string fallback) const {
    if (!onnx.contains(key)) return fallback;
    std::string name = Text(onnx, key);
    const auto good = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-'; };
    if (name.empty() || !std::all_of(name.begin(), name.end(), good)) {
      Refuse(fmt::format("'{}' of 'onnx' is {}; it has letters, digits, '_', '.' and '-'", key, json(name).dump(-1, ' ', true, json::error_handler_t::replace)));
    }
    return name;
  }

  int OnnxVersion(const json& onnx) const {
    if (!onnx.contains("version")) return 1;
    const json& version = onnx.at("version");
    constexpr int kMostVersion = 1 << 20;
    if (!version.is_number_unsigned() || version.get<uint64_t>() < 1 || version.get<uint64_t>() > kMostVersion) {
      Refuse(fmt::format("'version' of 'onnx' is {}; it is a whole number from 1 on", version.dump()));
    }
    return version.get<int>();
  }

  OpPrototype::Tensor ReadTensor(const json& item) const {
    if (!item.is_object()) Refuse("a tensor is no object");
    OpPrototype::Tensor tensor;
    tensor.name = ParameterName(item);
    const std::string kind = item.contains("param_type") ? Text(item, "param_type") : "required";
    if (kind == "optional") tensor.kind = OpPrototype::Port::kOptional;
    else if (kind == "dynamic") tensor.kind = OpPrototype::Port::kDynamic;
    else if (kind != "required") Refuse(fmt::format("param_type of '{}' is \"{}\", not required, optional or dynamic", tensor.name, kind));
    const auto types = item.find("type");
    if (types == item.end()) return tensor;
    if (!types->is_array()) Refuse(fmt::format("type of '{}' is no list", tensor.name));
    for (const json& word : *types) {
      const char* type = nullptr;
      for (const TypeWord& row : kTypeWords) {
        if (word.is_string() && word.get<std::string>() == row.word) type = row.type;
      }
      if (type == nullptr) Refuse(fmt::format("'{}' has the type {}, which is none", tensor.name, word.dump()));
      tensor.types.push_back(type);
    }
    return tensor;
  }

  std::string Fallback(const std::string& name, const std::string& type, const json& value) const {
    // The vendor's files write numbers as texts too.
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    const json parsed = json::parse(text, nullptr, false);
    if (type == "string") return json(text).dump();
    if (type == "bool" && parsed.is_boolean()) return text;
    if (type == "int" && parsed.is_number_integer()) return fmt::format("int64_t{{{}}}", text);
    if (type == "float" && parsed.is_number()) return fmt::format("static_cast<float>({})", parsed.dump());
    if ((type == "list_int" || type == "list_float") && parsed.is_array()) {
      std::string list;
      for (const json& item : parsed) {
        if (!(type == "list_int" ? item.is_number_integer() : item.is_number())) Refuse(fmt::format("default_value of '{}' holds {}", name, item.dump()));
        list += (list.empty() ? "" : ", ") + (type == "list_float" ? fmt::format("static_cast<float>({})", item.dump()) : item.dump());
      }
      return fmt::format("{}{{{}}}", type == "list_int" ? "std::vector<int64_t>" : "std::vector<float>", list);
    }
    Refuse(fmt::format("default_value of '{}' is {}, which is no {}", name, value.dump(), type));
  }

  OpPrototype::Attr ReadAttr(const json& item) const {
    if (!item.is_object()) Refuse("an attribute is no object");
    OpPrototype::Attr attr;
    attr.name = ParameterName(item);
    attr.type = Text(item, "type");
    if (attr.type == "list_of_int" || attr.type == "listInt") attr.type = "list_int";
    if (attr.type == "str") attr.type = "string";
    bool known = false;
    for (const AttrWords& words : kAttrWords) known = known || attr.type == words.type;
    if (!known) Refuse(fmt::format("'{}' has the type \"{}\", not bool, float, int, list_float, list_int or string", attr.name, attr.type));
    attr.required = !item.contains("default_value");
    if (!attr.required) attr.fallback = Fallback(attr.name, attr.type, item.at("default_value"));
    return attr;
  }

  template <class Item, class Read>
  std::vector<Item> ReadList(const json& object, const char* key, bool needed, Read&& read) const {
    std::vector<Item> items;
    const auto found = object.find(key);
    if (found == object.end() && !needed) return items;
    if (found == object.end() || !found->is_array()) Refuse(fmt::format("'{}' is absent or no list", key));
    for (const json& item : *found) items.push_back(read(item));
    return items;
  }
};

}  // namespace

const AttrWords& WordsOf(const std::string& attr_type) {
  for (const AttrWords& words : kAttrWords) {
    if (attr_type == words.type) return words;
  }
  return kAttrWords[0];
}

OpPrototype ReadOpPrototype(const std::string& path) {
  const Reader reader{path};
  std::ifstream file(path, std::ios::binary);
  const json document = json::parse(file, nullptr, false);
  if (document.is_discarded()) reader.Refuse("it is no JSON");
  const bool list = document.is_array();
  if ((list && document.size() != 1) || !(list ? document[0] : document).is_object()) reader.Refuse("it must hold one operator");
  const json& object = list ? document[0] : document;
  OpPrototype op;
  op.type = reader.OperatorName(object);
  op.inputs = reader.ReadList<OpPrototype::Tensor>(object, "input_desc", true, [&](const json& item) { return reader.ReadTensor(item); });
  op.outputs = reader.ReadList<OpPrototype::Tensor>(object, "output_desc", true, [&](const json& item) { return reader.ReadTensor(item); });
  op.attrs = reader.ReadList<OpPrototype::Attr>(object, "attr", false, [&](const json& item) { return reader.ReadAttr(item); });
  if (op.outputs.empty()) reader.Refuse("the operator has no output");
  // Names of the aclnn function's parameters, and of what each is one: a list comes with its number of elements.
  std::map<std::string, std::string> names;
  const auto take = [&](const std::string& name, const std::string& counted) {
    const auto [place, fresh] = names.emplace(name + counted, name);
    if (fresh) return;
    if (counted.empty() && place->second == name) reader.Refuse(fmt::format("the name '{}' is given twice", name));
    reader.Refuse(fmt::format("the name '{}' is the number of elements of '{}' too; one needs another name", name + counted, counted.empty() ? place->second : name));
  };
  for (const auto* tensors : {&op.inputs, &op.outputs}) {
    for (size_t i = 0; i < tensors->size(); ++i) {
      take((*tensors)[i].name, "");
      if ((*tensors)[i].kind != OpPrototype::Port::kDynamic) continue;
      take((*tensors)[i].name, "Num");
      if (i + 1 < tensors->size()) reader.Refuse(fmt::format("'{}' is dynamic and not the last", (*tensors)[i].name));
    }
  }
  for (const OpPrototype::Attr& attr : op.attrs) {
    take(attr.name, "");
    if (attr.type.starts_with("list_")) take(attr.name, "Size");
  }
  op.domain = "custom";
  op.onnx_type = op.type;
  if (const auto onnx = object.find("onnx"); onnx != object.end() && onnx->is_object()) {
    op.domain = reader.OnnxName(*onnx, "domain", op.domain);
    op.onnx_type = reader.OnnxName(*onnx, "type", op.onnx_type);
    op.version = reader.OnnxVersion(*onnx);
  }
  return op;
}

std::string SnakeCase(const std::string& name) {
  std::string snake;
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool starts = std::isupper(c) != 0 && i > 0 &&
                        (std::islower(static_cast<unsigned char>(name[i - 1])) != 0 || std::isdigit(static_cast<unsigned char>(name[i - 1])) != 0);
    if (starts) snake += '_';
    snake += static_cast<char>(std::tolower(c));
  }
  return snake;
}

}  // namespace atc::cli
