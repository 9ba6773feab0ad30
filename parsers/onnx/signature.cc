#include "parsers/onnx/signature.h"

#include <algorithm>
#include <cassert>
#include <charconv>

namespace atc::onnx_parser {

extern const char kSignatureText[];  // signatures.txt, see CMakeLists.txt

namespace {

constexpr std::string_view kKindNames[] = {"int",     "ints",   "float", "floats", "string",
                                           "strings", "tensor", "graph", "sparse", "type"};

struct TypeName {
  std::string_view name;
  DataType dtype;
};

constexpr TypeName kTypeNames[] = {
    {"bfloat16", DT_BF16},
    {"bool", DT_BOOL},
    {"complex128", DT_COMPLEX128},
    {"complex64", DT_COMPLEX64},
    {"double", DT_DOUBLE},
    {"float", DT_FLOAT},
    {"float16", DT_FLOAT16},
    {"float4e2m1", DT_FLOAT4_E2M1},
    {"float6e2m3", DT_FLOAT6_E2M3},
    {"float6e3m2", DT_FLOAT6_E3M2},
    {"float8e4m3fn", DT_FLOAT8_E4M3FN},
    {"float8e4m3fnuz", DT_FLOAT8_E4M3FNUZ},
    {"float8e5m2", DT_FLOAT8_E5M2},
    {"float8e5m2fnuz", DT_FLOAT8_E5M2FNUZ},
    {"float8e8m0", DT_FLOAT8_E8M0},
    {"int16", DT_INT16},
    {"int2", DT_INT2},
    {"int32", DT_INT32},
    {"int4", DT_INT4},
    {"int64", DT_INT64},
    {"int8", DT_INT8},
    {"string", DT_STRING},
    {"uint16", DT_UINT16},
    {"uint2", DT_UINT2},
    {"uint32", DT_UINT32},
    {"uint4", DT_UINT4},
    {"uint64", DT_UINT64},
    {"uint8", DT_UINT8},
};

DataType TypeOf(std::string_view name) {
  if (name.starts_with("seq:") || name.starts_with("opt:") || name.starts_with("map(")) return DT_VARIANT;
  for (const TypeName& entry : kTypeNames) {
    if (entry.name == name) return entry.dtype;
  }
  assert(false && "signatures.txt names an unknown type");
  return DT_UNDEFINED;
}

// The text before the first `separator`, which is taken off `rest` with it.
std::string_view Cut(std::string_view* rest, std::string_view separator) {
  const size_t at = std::min(rest->find(separator), rest->size());
  const std::string_view head = rest->substr(0, at);
  rest->remove_prefix(std::min(at + separator.size(), rest->size()));
  return head;
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

int Number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

TypeSet SetOf(const std::vector<std::string_view>& names) {
  TypeSet set;
  for (const std::string_view name : names) {
    set.names.emplace_back(name);
    set.dtypes.push_back(TypeOf(name));
  }
  std::sort(set.names.begin(), set.names.end());
  std::sort(set.dtypes.begin(), set.dtypes.end());
  set.dtypes.erase(std::unique(set.dtypes.begin(), set.dtypes.end()), set.dtypes.end());
  return set;
}

std::vector<std::string_view> Words(std::string_view text, std::string_view separator = " ") {
  std::vector<std::string_view> words;
  text = Trimmed(text);
  while (!text.empty()) words.push_back(Cut(&text, separator));
  return words;
}

class Reader {
 public:
  std::vector<Signature> Read(std::string_view text) {
    std::vector<Signature> all;
    while (!text.empty()) {
      const std::string_view line = Cut(&text, "\n");
      if (line.starts_with("# ") || line.empty()) continue;
      if (line.starts_with('#')) {
        std::vector<std::string_view> words = Words(line);
        words.erase(words.begin());
        sets_.push_back(SetOf(words));
      } else {
        all.push_back(Line(line));
      }
    }
    return all;
  }

 private:
  TypeSet Types(std::string_view text) const {
    if (text.starts_with('#')) return sets_.at(static_cast<size_t>(Number(text.substr(1))));
    return SetOf({text});
  }

  std::vector<SignaturePort> Ports(std::string_view text, const Signature& signature) const {
    std::vector<SignaturePort> ports;
    for (std::string_view word : Words(text)) {
      SignaturePort port;
      std::string_view name = Cut(&word, ":");
      if (const size_t star = name.find('*'); star != name.npos) {
        port.kind = SignaturePort::kVariadic;
        port.homogeneous = !name.ends_with('!');
        port.least = static_cast<size_t>(Number(name.substr(star + 1)));
        name = name.substr(0, star);
      } else if (name.ends_with('?')) {
        port.kind = SignaturePort::kOptional;
        name.remove_suffix(1);
      }
      port.name = name;
      const auto variable = std::find_if(signature.variables.begin(), signature.variables.end(),
                                         [&](const auto& entry) { return entry.first == word; });
      if (variable != signature.variables.end()) {
        port.variable = variable->first;
        port.types = variable->second;
      } else {
        port.types = Types(word);
      }
      ports.push_back(std::move(port));
    }
    return ports;
  }

  Signature Line(std::string_view line) const {
    std::vector<std::string_view> parts = Words(line, "|");
    parts.resize(5);
    Signature signature;
    const std::vector<std::string_view> head = Words(parts[0]);
    signature.domain = head.at(0);
    signature.type = head.at(1);
    signature.since = Number(head.at(2));
    for (std::string_view word : Words(parts[4])) {
      const std::string_view name = Cut(&word, "=");
      signature.variables.emplace_back(name, Types(word));
    }
    signature.inputs = Ports(parts[1], signature);
    signature.outputs = Ports(parts[2], signature);
    for (std::string_view word : Words(parts[3])) {
      SignatureAttribute attribute;
      attribute.name = Cut(&word, "=");
      attribute.required = word.ends_with('!');
      if (attribute.required) word.remove_suffix(1);
      const auto kind = std::find(std::begin(kKindNames), std::end(kKindNames), word);
      assert(kind != std::end(kKindNames));
      attribute.kind = static_cast<AttributeKind>(kind - std::begin(kKindNames));
      signature.attributes.push_back(std::move(attribute));
    }
    return signature;
  }

  std::vector<TypeSet> sets_;
};

}  // namespace

std::string_view AttributeKindName(AttributeKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

bool TypeSet::Holds(DataType dtype) const { return std::binary_search(dtypes.begin(), dtypes.end(), dtype); }

const SignatureAttribute* Signature::Attribute(std::string_view name) const {
  for (const SignatureAttribute& attribute : attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

const SignaturePort* Signature::Port(const std::vector<SignaturePort>& ports, size_t index) {
  if (index < ports.size()) return &ports[index];
  return !ports.empty() && ports.back().kind == SignaturePort::kVariadic ? &ports.back() : nullptr;
}

const SignatureTable& SignatureTable::Get() {
  static const SignatureTable* table = [] {
    auto* all = new SignatureTable;
    for (Signature& signature : Reader().Read(kSignatureText)) {
      all->operators_[{signature.domain, signature.type}].push_back(std::move(signature));
    }
    return all;
  }();
  return *table;
}

const std::vector<Signature>& SignatureTable::Versions(std::string_view type, std::string_view domain) const {
  static const std::vector<Signature> kNone;
  const auto found = operators_.find({domain.empty() ? "ai.onnx" : std::string(domain), std::string(type)});
  return found == operators_.end() ? kNone : found->second;
}

const Signature* SignatureTable::Find(std::string_view type, int opset, std::string_view domain) const {
  const std::vector<Signature>& versions = Versions(type, domain);
  const auto newer = std::find_if(versions.begin(), versions.end(),
                                  [&](const Signature& version) { return version.since > opset; });
  return newer == versions.begin() ? nullptr : &*std::prev(newer);
}

}  // namespace atc::onnx_parser
