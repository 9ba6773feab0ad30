#include "parsers/tensorflow/tensor_slices.h"

#include <charconv>
#include <cstring>
#include <string_view>

namespace atc::tf_parser {
namespace {

// Keys are made so that their bytes sort as what they stand for: numbers behind their length, texts with an end mark,
// signed numbers with their length in the leading bits.
void AppendNumber(std::string* key, uint64_t value) {
  std::string bytes;
  for (; value > 0; value >>= 8) bytes.insert(bytes.begin(), static_cast<char>(value & 0xff));
  key->push_back(static_cast<char>(bytes.size()));
  key->append(bytes);
}

void AppendText(std::string* key, std::string_view text) {
  for (const char c : text) {
    key->push_back(c);
    if (c == '\0') key->push_back('\xff');
    if (c == '\xff') key->push_back('\0');
  }
  key->append("\0\1", 2);
}

void AppendSigned(std::string* key, int64_t value) {
  const uint64_t magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  size_t length = 1;  // 7 bits a byte, one of them the sign
  while (length < 10 && magnitude >> (7 * length - 1) != 0) ++length;
  char bytes[10];
  for (size_t i = 0; i < 10; ++i) {
    const size_t shift = 8 * (9 - i);
    bytes[i] = static_cast<char>(shift >= 64 ? (value < 0 ? 0xff : 0) : static_cast<uint64_t>(value) >> shift & 0xff);
  }
  char* const begin = bytes + 10 - length;
  const uint16_t head = static_cast<uint16_t>(0xffff << (16 - length));
  begin[0] = static_cast<char>(begin[0] ^ static_cast<char>(head >> 8));
  if (length > 1) begin[1] = static_cast<char>(begin[1] ^ static_cast<char>(head & 0xff));
  key->append(begin, length);
}

bool ReadInt(std::string_view text, int64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string_view TakeUpTo(std::string_view* rest, char mark) {
  const std::string_view taken = rest->substr(0, rest->find(mark));
  rest->remove_prefix(std::min(rest->size(), taken.size() + 1));
  return taken;
}

// Calls copy(offset in the whole, offset in the part, bytes) for each run of the last axis.
template <typename CopyFn>
void ForEachRun(const Tensor& whole, const TensorSlice& slice, CopyFn copy) {
  const auto width = static_cast<size_t>(DataTypeBits(whole.dtype()) / 8);
  const size_t rank = whole.rank();
  if (rank == 0) return copy(size_t{0}, size_t{0}, width);
  const std::vector<int64_t> strides = whole.shape().Strides();
  int64_t runs = 1;
  for (size_t d = 0; d + 1 < rank; ++d) runs *= slice.length[d];
  const auto bytes = static_cast<size_t>(slice.length[rank - 1]) * width;
  std::vector<int64_t> at(rank, 0);
  for (int64_t run = 0; bytes > 0 && run < runs; ++run) {
    int64_t offset = slice.start[rank - 1];
    for (size_t d = 0; d + 1 < rank; ++d) offset += (slice.start[d] + at[d]) * strides[d];
    copy(static_cast<size_t>(offset) * width, static_cast<size_t>(run) * bytes, bytes);
    for (size_t d = rank - 1; d-- > 0;) {
      if (++at[d] < slice.length[d]) break;
      at[d] = 0;
    }
  }
}

}  // namespace

std::string SliceKey(const std::string& name, const TensorSlice& slice) {
  std::string key;
  AppendNumber(&key, 0);
  AppendText(&key, name);
  AppendNumber(&key, slice.start.size());
  for (size_t d = 0; d < slice.start.size(); ++d) {
    AppendSigned(&key, slice.start[d]);
    AppendSigned(&key, slice.length[d]);
  }
  return key;
}

std::optional<PartText> ParsePart(const std::string& text) {
  std::string_view rest = text;
  const size_t last = rest.rfind(' ');
  if (last == std::string_view::npos) return std::nullopt;
  std::string_view dims = rest.substr(0, last), axes = rest.substr(last + 1);
  PartText part;
  while (!dims.empty()) {
    int64_t dim = 0;
    if (!ReadInt(TakeUpTo(&dims, ' '), &dim) || dim < 0) return std::nullopt;
    part.whole.dims().push_back(dim);
  }
  for (size_t d = 0; d < part.whole.rank(); ++d) {
    std::string_view axis = TakeUpTo(&axes, ':');
    int64_t start = 0, length = part.whole[d];
    if (axis != "-") {
      const std::string_view begin = TakeUpTo(&axis, ',');
      if (!ReadInt(begin, &start) || !ReadInt(axis, &length)) return std::nullopt;
    }
    part.slice.start.push_back(start);
    part.slice.length.push_back(length);
  }
  return axes.empty() && Within(part.slice, part.whole) ? std::optional(part) : std::nullopt;
}

bool Within(const TensorSlice& slice, const Shape& shape) {
  if (slice.start.size() != shape.rank()) return false;
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (slice.start[d] < 0 || slice.length[d] < 0 || slice.start[d] > shape[d] ||
        slice.length[d] > shape[d] - slice.start[d]) {
      return false;
    }
  }
  return true;
}

void CopyIntoWhole(const Tensor& part, const TensorSlice& slice, Tensor* whole) {
  ForEachRun(*whole, slice, [&](size_t to, size_t from, size_t bytes) {
    std::memcpy(whole->MutableData() + to, part.Data() + from, bytes);
  });
}

void CopyFromWhole(const Tensor& whole, const TensorSlice& slice, Tensor* part) {
  ForEachRun(whole, slice, [&](size_t from, size_t to, size_t bytes) {
    std::memcpy(part->MutableData() + to, whole.Data() + from, bytes);
  });
}

}  // namespace atc::tf_parser
