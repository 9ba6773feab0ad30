#include "backend/executor/value_codec.h"

#include <cstring>

#include "compiler/ir/error.h"
#include "compiler/ir/shape_limit.h"

namespace atc {
namespace {

constexpr int kMaxDepth = 8;  // of sequences in sequences
constexpr uint32_t kMaxRank = 64;

template <typename T>
void Append(T value, std::string* to) {
  auto bits = static_cast<uint64_t>(value);
  for (size_t i = 0; i < sizeof(T); ++i, bits >>= 8) to->push_back(static_cast<char>(bits & 0xFF));
}

void AppendRecord(const std::string& bytes, std::string* to) {
  Append<uint64_t>(bytes.size(), to);
  to->append(bytes);
}

[[noreturn]] void Damaged(const std::string& what) {
  throw Error::Internal("a buffer that should hold strings or a sequence " + what);
}

// Takes values off the front.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> Take(uint64_t count) {
    if (count > bytes_.size()) {
      Damaged("ends " + std::to_string(count - bytes_.size()) + " bytes too early");
    }
    const auto taken = bytes_.first(static_cast<size_t>(count));
    bytes_ = bytes_.subspan(static_cast<size_t>(count));
    return taken;
  }
  template <typename T>
  T Number() {
    uint64_t bits = 0;
    const auto bytes = Take(sizeof(T));
    for (size_t i = sizeof(T); i-- > 0;) bits = bits << 8 | std::to_integer<uint64_t>(bytes[i]);
    return static_cast<T>(bits);
  }
  std::span<const std::byte> Record() { return Take(Number<uint64_t>()); }
  std::span<const std::byte> rest() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

Tensor Parse(DataType dtype, const Shape& shape, Reader& reader, int depth);

Tensor ParseTensor(std::span<const std::byte> bytes, int depth) {
  Reader reader(bytes);
  const int64_t number = static_cast<int32_t>(reader.Number<uint32_t>());
  const auto rank = reader.Number<uint32_t>();
  const auto dtype = static_cast<DataType>(number);
  if (number == DT_UNDEFINED) return {};
  if (number != static_cast<int64_t>(dtype) || DataTypeBits(dtype) == 0 || rank > kMaxRank) {
    Damaged("has a tensor of type " + std::to_string(number) + " and rank " + std::to_string(rank));
  }
  Shape shape;
  for (uint32_t i = 0; i < rank; ++i) {
    const auto dim = reader.Number<int64_t>();
    if (dim < 0) Damaged("has a dim of " + std::to_string(dim));
    shape.dims().push_back(dim);
  }
  if (!IsCountable(shape)) Damaged("has an element of shape " + ToString(shape));
  Tensor tensor = Parse(dtype, shape, reader, depth);
  if (!reader.rest().empty()) Damaged("has an element that is longer than its shape says");
  return tensor;
}

Tensor Parse(DataType dtype, const Shape& shape, Reader& reader, int depth) {
  if (depth > kMaxDepth) Damaged("nests sequences too deeply");
  const auto count = static_cast<uint64_t>(shape.NumElements());
  if (!IsSerialised(dtype)) {
    const auto bytes = reader.Take(DataTypeBytes(dtype, shape.NumElements()));
    Tensor tensor = Tensor::Allocate(dtype, shape);
    if (!bytes.empty()) std::memcpy(tensor.MutableData(), bytes.data(), bytes.size());
    return tensor;
  }
  // Each element takes its count at least: a huge shape over few bytes asks for no memory.
  if (count > reader.rest().size() / sizeof(uint64_t)) {
    Damaged("has " + std::to_string(reader.rest().size()) + " bytes, which are too few for " + std::to_string(count) +
            " elements");
  }
  Tensor tensor = Tensor::Allocate(dtype, shape);
  for (uint64_t i = 0; i < count; ++i) {
    const auto record = reader.Record();
    if (dtype == DT_STRING) {
      tensor.MutableData<std::string>()[i].assign(reinterpret_cast<const char*>(record.data()), record.size());
    } else {
      tensor.MutableData<Tensor>()[i] = ParseTensor(record, depth + 1);
    }
  }
  return tensor;
}

}  // namespace

std::string SerialiseElements(const Tensor& tensor) {
  std::string bytes;
  if (tensor.dtype() == DT_STRING) {
    for (const std::string& element : tensor.Span<std::string>()) AppendRecord(element, &bytes);
    return bytes;
  }
  for (const Tensor& element : tensor.Span<Tensor>()) {
    std::string record;
    Append<uint32_t>(static_cast<uint32_t>(element.dtype()), &record);
    Append<uint32_t>(element.defined() ? static_cast<uint32_t>(element.rank()) : 0, &record);
    if (element.defined()) {
      for (const int64_t dim : element.shape().dims()) Append<uint64_t>(static_cast<uint64_t>(dim), &record);
      if (IsSerialised(element.dtype())) {
        record += SerialiseElements(element);
      } else {
        const Tensor plain = element.Materialized();
        record.append(plain.Data<char>(), plain.NumBytes());
      }
    }
    AppendRecord(record, &bytes);
  }
  return bytes;
}

Tensor ParseElements(DataType dtype, const Shape& shape, std::span<const std::byte> bytes) {
  Reader reader(bytes);
  return Parse(dtype, shape, reader, 0);
}

}  // namespace atc
