#include "cmd/omrun/tensor_proto.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "cmd/omrun/string_tensor.h"

namespace atc::omrun {
namespace {

// The protobuf wire format, of which a TensorProto needs four wire types. Reading it here keeps protobuf, and with it
// clashes of two versions of it, out of a process that may load a vendor's library.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  bool Done() const { return rest_.empty(); }

  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<uint64_t>(Take(1)[0]);
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    Fail();
  }
  std::span<const std::byte> Take(uint64_t size) {
    if (size > rest_.size()) Fail();
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  std::span<const std::byte> Delimited() { return Take(Varint()); }

  [[noreturn]] static void Fail() { throw RunError("it is no ONNX TensorProto, or cut off"); }

 private:
  std::span<const std::byte> rest_;
};

enum WireType { kVarint = 0, kFixed64 = 1, kDelimited = 2, kFixed32 = 5 };

// Field numbers of onnx.TensorProto.
enum Field {
  kDims = 1,
  kDataType = 2,
  kSegment = 3,
  kFloatData = 4,
  kInt32Data = 5,
  kStringData = 6,
  kInt64Data = 7,
  kName = 8,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
  kDocString = 12,
  kExternalData = 13,
  kDataLocation = 14,
};

// What each field may come as: its own wire type, or packed.
int WireTypeOf(uint64_t field) {
  switch (field) {
    case kDims:
    case kDataType:
    case kInt32Data:
    case kInt64Data:
    case kUint64Data:
    case kDataLocation: return kVarint;
    case kFloatData: return kFixed32;
    case kDoubleData: return kFixed64;
    default: return kDelimited;
  }
}

struct Message {
  Dims dims;
  int data_type = 0;
  bool segment = false, external = false, has_raw = false;
  std::string name;
  std::span<const std::byte> raw;
  std::vector<uint64_t> integers;  // of int32_data, int64_data, uint64_data: one of them is used at a time
  std::vector<std::byte> reals;    // of float_data, double_data, as they lie in memory
  std::vector<std::string> strings;
};

void TakeNumber(uint64_t field, WireReader* reader, Message* message) {
  if (field == kFloatData || field == kDoubleData) {
    const auto bytes = reader->Take(field == kFloatData ? 4 : 8);
    message->reals.insert(message->reals.end(), bytes.begin(), bytes.end());
    return;
  }
  const uint64_t value = reader->Varint();
  switch (field) {
    case kDims: message->dims.push_back(static_cast<int64_t>(value)); break;
    case kDataType: message->data_type = static_cast<int>(value); break;
    case kDataLocation: message->external = value == 1; break;
    default: message->integers.push_back(value); break;
  }
}

Message ReadMessage(std::span<const std::byte> file) {
  Message message;
  for (WireReader reader(file); !reader.Done();) {
    const uint64_t tag = reader.Varint();
    const uint64_t field = tag >> 3, wire = tag & 7;
    const int own = WireTypeOf(field);
    if (field == 0) WireReader::Fail();
    if (field > kDataLocation) {  // of a later ONNX
      switch (wire) {
        case kVarint: reader.Varint(); break;
        case kFixed64: reader.Take(8); break;
        case kDelimited: reader.Delimited(); break;
        case kFixed32: reader.Take(4); break;
        default: WireReader::Fail();
      }
    } else if (own != kDelimited && wire == kDelimited) {
      for (WireReader packed(reader.Delimited()); !packed.Done();) TakeNumber(field, &packed, &message);
    } else if (static_cast<int>(wire) != own) {
      WireReader::Fail();
    } else if (own != kDelimited) {
      TakeNumber(field, &reader, &message);
    } else {
      const auto bytes = reader.Delimited();
      if (field == kSegment) message.segment = true;
      if (field == kName) message.name.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      if (field == kStringData) {
        message.strings.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      }
      if (field == kRawData) {
        message.raw = bytes;
        message.has_raw = true;
      }
    }
  }
  return message;
}

// The typed fields as memory. Elements narrower than 32 bits lie in the low bits of an int32 each; those below a byte
// come packed, one byte of them in each.
std::vector<std::byte> TypedData(const Message& message, const ElementType& type) {
  if (!message.reals.empty()) return message.reals;
  const size_t width = type.bits < 8 ? 1 : type.bits / 8;
  if (width > sizeof(uint64_t)) return {};
  std::vector<std::byte> bytes(message.integers.size() * width);
  for (size_t i = 0; i < message.integers.size(); ++i) std::memcpy(&bytes[i * width], &message.integers[i], width);
  return bytes;
}

}  // namespace

FileTensor ParseTensorProto(std::span<const std::byte> file) {
  if (file.empty()) throw RunError("the file is empty");
  const Message message = ReadMessage(file);
  if (message.data_type == 0) throw RunError("it is no ONNX TensorProto (it has no data type)");
  const ElementType* type = FindElementTypeOfOnnx(message.data_type);
  if (!type) {
    throw RunError(fmt::format("ONNX data type {} is none that a model can take here", message.data_type));
  }
  if (message.external) throw RunError("its data is in another file: save it with the data inside");
  if (message.segment) throw RunError("it is one segment of a tensor: save it whole");

  FileTensor tensor;
  tensor.name = message.name;
  tensor.type = type->acl;
  tensor.dims = message.dims;
  uint64_t count;
  if (!ElementCount(tensor.dims, &count)) {
    throw RunError(fmt::format("its shape {} is not possible", DimsText(tensor.dims)));
  }
  if (type->kind == Kind::kString) {
    if (message.strings.size() != count) {
      throw RunError(fmt::format("string {} has {} elements, it holds {}", DimsText(tensor.dims), count, message.strings.size()));
    }
    tensor.bytes = PackStrings(message.strings);
    return tensor;
  }
  tensor.bytes =
      message.has_raw ? std::vector<std::byte>(message.raw.begin(), message.raw.end()) : TypedData(message, *type);
  if (tensor.bytes.size() != BytesOf(*type, count)) {
    throw RunError(fmt::format("{} {} takes {} bytes, it holds {}", type->name, DimsText(tensor.dims),
                               BytesOf(*type, count), tensor.bytes.size()));
  }
  return tensor;
}

}  // namespace atc::omrun
