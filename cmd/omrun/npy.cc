#include "cmd/omrun/npy.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "cmd/omrun/string_tensor.h"

namespace atc::omrun {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<Dims> shape;
};

// Reads the Python literal that NumPy writes: a dict of a string, a bool and a tuple of integers.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Header Parse() {
    Header header;
    Expect('{');
    while (!Accept('}')) {
      const std::string key = String();
      Expect(':');
      if (key == "descr") {
        if (Peek() == '[') throw RunError("the array is structured (its dtype has fields): save its fields one by one");
        header.descr = String();
      } else if (key == "fortran_order") {
        header.fortran_order = Bool();
      } else if (key == "shape") {
        header.shape = Tuple();
      } else {
        throw RunError(fmt::format("the header has an unknown key '{}'", key));
      }
      if (!Accept(',') && Peek() != '}') Fail();
    }
    if (Peek() != '\0') Fail();
    return header;
  }

 private:
  [[noreturn]] static void Fail() { throw RunError("the header is not one that NumPy writes"); }

  char Peek() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t' || rest_[0] == '\r')) {
      rest_.remove_prefix(1);
    }
    return rest_.empty() ? '\0' : rest_[0];
  }
  bool Accept(char c) {
    if (Peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void Expect(char c) {
    if (!Accept(c)) Fail();
  }
  std::string String() {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') Fail();
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) Fail();
    std::string value(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return value;
  }
  bool Bool() {
    Peek();
    for (const std::string_view word : {"True", "False"}) {
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    }
    Fail();
  }
  Dims Tuple() {
    Dims dims;
    Expect('(');
    while (!Accept(')')) {
      Peek();
      int64_t dim;
      const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), dim);
      if (result.ec != std::errc() || dim < 0) Fail();
      rest_.remove_prefix(result.ptr - rest_.data());
      Accept('L');  // Python 2 wrote long integers so
      dims.push_back(dim);
      if (!Accept(',') && Peek() != ')') Fail();
    }
    return dims;
  }

  std::string_view rest_;
};

// Column-major bytes to row-major ones.
std::vector<std::byte> Transpose(std::span<const std::byte> source, const Dims& dims, size_t element) {
  std::vector<std::byte> result(source.size());
  std::vector<size_t> stride(dims.size());  // in elements, of the column-major source
  size_t step = 1;
  for (size_t d = 0; d < dims.size(); step *= dims[d], ++d) stride[d] = step;
  std::vector<int64_t> index(dims.size(), 0);
  size_t from = 0;
  for (size_t to = 0; to < source.size(); to += element) {
    std::memcpy(result.data() + to, source.data() + from * element, element);
    for (size_t d = dims.size(); d-- > 0;) {
      from += stride[d];
      if (++index[d] < dims[d]) break;
      from -= stride[d] * dims[d];
      index[d] = 0;
    }
  }
  return result;
}

// Sets type or opaque_bytes from "<f4"; returns the bytes of one element.
size_t TakeDescr(const std::string& descr, FileTensor* tensor) {
  const char order = descr.empty() ? '\0' : descr[0];
  const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
  const std::string_view code = std::string_view(descr).substr(has_order ? 1 : 0);
  if (order == '>' && !code.ends_with('1')) {
    throw RunError(fmt::format("dtype '{0}' is big-endian: save it little-endian, array.astype('<{1}')", descr, code));
  }
  size_t size = 0;
  if (code.size() > 1) std::from_chars(code.data() + 1, code.data() + code.size(), size);
  if (code.starts_with('V') && size >= 1 && size <= 16) {
    tensor->opaque_bytes = static_cast<int>(size);
    return size;
  }
  if ((code.starts_with('U') || code.starts_with('S')) && size <= 1 << 20) {
    tensor->type = ACL_STRING;
    return code[0] == 'U' ? 4 * size : size;
  }
  const ElementType* type = code == "?" ? FindElementType(ACL_BOOL) : FindElementTypeOfDescr(code);
  if (!type) throw RunError(fmt::format("dtype '{}' is none that a model can take", descr));
  tensor->type = type->acl;
  return type->bits / 8;
}

}  // namespace

FileTensor ParseNpy(std::span<const std::byte> file) {
  const auto* chars = reinterpret_cast<const char*>(file.data());
  if (file.size() < 10 || std::string_view(chars, kMagic.size()) != kMagic) {
    throw RunError(file.empty() ? "the file is empty" : "it is no .npy file (its first bytes are not NumPy's)");
  }
  const auto byte = [&](size_t i) { return static_cast<size_t>(file[i]); };
  const size_t version = byte(6);
  if (version < 1 || version > 3) throw RunError(fmt::format(".npy version {} is not known (1 to 3 are)", version));
  const size_t prefix = version == 1 ? 10 : 12;
  if (file.size() < prefix) throw RunError("it is cut off in its header");
  size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > file.size() - prefix) throw RunError("it is cut off in its header");

  Header header = HeaderParser(std::string_view(chars + prefix, length)).Parse();
  if (!header.descr || !header.fortran_order || !header.shape) throw RunError("the header lacks a key");
  FileTensor tensor;
  const size_t element = TakeDescr(*header.descr, &tensor);
  tensor.dims = std::move(*header.shape);
  uint64_t count, bytes;
  if (!ElementCount(tensor.dims, &count) || __builtin_mul_overflow(count, element, &bytes)) {
    throw RunError(fmt::format("its shape {} is too large", DimsText(tensor.dims)));
  }
  const auto data = file.subspan(prefix + length);
  if (data.size() != bytes) {
    throw RunError(fmt::format("its header announces {} bytes of data, {} follow", bytes, data.size()));
  }
  tensor.bytes = *header.fortran_order && tensor.dims.size() > 1 ? Transpose(data, tensor.dims, element)
                                                                 : std::vector<std::byte>(data.begin(), data.end());
  if (tensor.type == ACL_STRING) {
    const bool unicode = header.descr->find('U') != std::string::npos;
    if (element == 0 && count > file.size()) throw RunError("it has too many empty strings");
    tensor.bytes = PackStrings(unicode ? StringsOfUnicode(tensor.bytes, count, element / 4)
                                       : StringsOfBytes(tensor.bytes, count, element));
  }
  return tensor;
}

std::vector<std::byte> FormatNpy(const Tensor& tensor) {
  const ElementType* type = FindElementType(tensor.type);
  if (!type) {
    throw RunError(fmt::format("{} tensors cannot be written as .npy", TypeName(tensor.type)));
  }
  std::string descr = fmt::format("{}{}", type->bits <= 8 ? '|' : '<', type->descr);
  std::vector<std::byte> strings;
  if (type->kind == Kind::kString) strings = FixedWidth(UnpackStrings(tensor), &descr);
  std::string shape;
  for (const int64_t dim : tensor.dims) shape += fmt::format("{}, ", dim);
  if (tensor.dims.size() > 1) shape.resize(shape.size() - 2);
  if (tensor.dims.size() == 1) shape.pop_back();
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  // NumPy pads with spaces so that the data starts at a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';

  std::vector<std::byte> file(10 + header.size());
  std::memcpy(file.data(), kMagic.data(), kMagic.size());
  file[6] = std::byte{1};
  file[8] = static_cast<std::byte>(header.size() & 0xFF);
  file[9] = static_cast<std::byte>(header.size() >> 8);
  std::memcpy(file.data() + 10, header.data(), header.size());
  if (type->kind == Kind::kString) {
    file.insert(file.end(), strings.begin(), strings.end());
    return file;
  }
  if (type->bits >= 8) {
    file.insert(file.end(), tensor.bytes.begin(), tensor.bytes.end());
    return file;
  }
  uint64_t count = 0;
  ElementCount(tensor.dims, &count);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t bit = i * type->bits;
    int code = (static_cast<int>(tensor.bytes[bit / 8]) >> (bit % 8)) & ((1 << type->bits) - 1);
    if (type->kind == Kind::kInt && code >> (type->bits - 1)) code -= 1 << type->bits;
    file.push_back(static_cast<std::byte>(code & 0xFF));
  }
  return file;
}

}  // namespace atc::omrun
