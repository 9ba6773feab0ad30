#include "cmd/omrun/tensor_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cmd/omrun/string_tensor.h"

namespace atc::omrun {

std::vector<std::byte> FormatTensorJson(const Tensor& tensor) {
  const ElementType* type = FindElementType(tensor.type);
  uint64_t count = 0;
  if (!type || !ElementCount(tensor.dims, &count)) throw RunError(fmt::format("{} tensors have no text form here", TypeName(tensor.type)));
  std::string text = fmt::format("{{\"dtype\": \"{}\", \"shape\": [", type->name);
  for (size_t i = 0; i < tensor.dims.size(); ++i) text += fmt::format("{}{}", i ? ", " : "", tensor.dims[i]);
  text += "], \"values\": [";
  if (type->kind == Kind::kString) {
    const std::vector<std::string> strings = UnpackStrings(tensor);
    for (size_t i = 0; i < strings.size(); ++i) text += (i ? ", " : "") + Quoted(strings[i]);
  } else {
    for (uint64_t i = 0; i < ScalarsOf(*type, count); ++i) {
      const std::string word = ScalarText(*type, tensor.bytes.data(), i);
      const bool finite = std::isfinite(ScalarAt(*type, tensor.bytes.data(), i));
      text += fmt::format("{}{}", i ? ", " : "", finite ? word : "\"" + word + "\"");
    }
  }
  text += "]}\n";
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

FileTensor ParseTensorJson(std::string_view text) {
  // The numbers keep their text: a 64-bit integer or a long fraction must not pass through a double.
  std::vector<std::string> words;
  std::vector<int64_t> shape;
  std::string dtype;
  struct Handler : nlohmann::json_sax<nlohmann::json> {
    std::vector<std::string>* words;
    std::vector<int64_t>* shape;
    std::string* dtype;
    std::string key_now, fault;
    int depth = 0;

    bool Word(std::string word) {
      if (key_now == "values" && depth == 2) words->push_back(std::move(word));
      return true;
    }
    bool Integer(int64_t value) {
      if (key_now != "shape" || depth != 2) return Word(fmt::format("{}", value));
      shape->push_back(value);
      return true;
    }
    bool null() override { return Word("null"); }
    bool boolean(bool value) override { return Word(value ? "1" : "0"); }
    bool number_integer(number_integer_t value) override { return Integer(value); }
    bool number_unsigned(number_unsigned_t value) override {
      return value <= INT64_MAX ? Integer(static_cast<int64_t>(value)) : Word(fmt::format("{}", value));
    }
    bool number_float(number_float_t, const string_t& literal) override { return Word(literal); }
    bool string(string_t& value) override {
      if (key_now == "dtype" && depth == 1) *dtype = value;
      else Word(value);
      return true;
    }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return ++depth < 8; }
    bool key(string_t& name) override {
      if (depth == 1) key_now = name;
      return true;
    }
    bool end_object() override { return --depth, true; }
    bool start_array(std::size_t) override { return ++depth < 8; }
    bool end_array() override { return --depth, true; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) override {
      fault = error.what();
      return false;
    }
  } handler;
  handler.words = &words;
  handler.shape = &shape;
  handler.dtype = &dtype;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &handler)) {
    throw RunError(handler.fault.empty() ? "it is no JSON of a tensor" : "it is no JSON: " + handler.fault);
  }
  const ElementType* type = FindElementType(dtype);
  if (!type) throw RunError(fmt::format("its dtype '{}' is none, as float32 is", dtype));
  FileTensor tensor;
  tensor.type = type->acl;
  tensor.dims = shape;
  uint64_t count = 0;
  if (!ElementCount(shape, &count)) throw RunError(fmt::format("its shape {} is not possible", DimsText(shape)));
  const uint64_t scalars = type->kind == Kind::kString ? count : ScalarsOf(*type, count);
  if (words.size() != scalars) {
    throw RunError(fmt::format("it holds {} values where {} {} takes {}", words.size(), dtype, DimsText(shape), scalars));
  }
  if (type->kind == Kind::kString) {
    tensor.bytes = PackStrings(words);
    return tensor;
  }
  tensor.bytes.resize(BytesOf(*type, count));
  for (uint64_t i = 0; i < scalars; ++i) {
    if (!ParseScalar(*type, words[i], tensor.bytes.data(), i)) {
      throw RunError(fmt::format("'{}' is no {} number", words[i].substr(0, 40), type->name));
    }
  }
  return tensor;
}

}  // namespace atc::omrun
