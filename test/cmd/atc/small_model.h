// An ONNX model of a few bytes.
#pragma once

#include <string>

namespace atc::cli {

// x -> Add(x, x) "add" -> a -> Relu "relu" -> y over float [1, n, 4], of opset 13, as the onnx package writes it.
inline std::string SmallModel() {
  const unsigned char bytes[] = {
      0x08, 0x07, 0x3a, 0x60, 0x0a, 0x13, 0x0a, 0x01, 0x78, 0x0a, 0x01, 0x78, 0x12, 0x01, 0x61, 0x1a, 0x03, 0x61,
      0x64, 0x64, 0x22, 0x03, 0x41, 0x64, 0x64, 0x0a, 0x12, 0x0a, 0x01, 0x61, 0x12, 0x01, 0x79, 0x1a, 0x04, 0x72,
      0x65, 0x6c, 0x75, 0x22, 0x04, 0x52, 0x65, 0x6c, 0x75, 0x12, 0x01, 0x67, 0x5a, 0x18, 0x0a, 0x01, 0x78, 0x12,
      0x13, 0x0a, 0x11, 0x08, 0x01, 0x12, 0x0d, 0x0a, 0x02, 0x08, 0x01, 0x0a, 0x03, 0x12, 0x01, 0x6e, 0x0a, 0x02,
      0x08, 0x04, 0x62, 0x18, 0x0a, 0x01, 0x79, 0x12, 0x13, 0x0a, 0x11, 0x08, 0x01, 0x12, 0x0d, 0x0a, 0x02, 0x08,
      0x01, 0x0a, 0x03, 0x12, 0x01, 0x6e, 0x0a, 0x02, 0x08, 0x04, 0x42, 0x04, 0x0a, 0x00, 0x10, 0x0d};
  return std::string(reinterpret_cast<const char*>(bytes), sizeof(bytes));
}

// x -> Add(x, w) -> y over float [1, 4], w = 1.5 in each place, written by the rules of protobuf's wire format.
inline std::string WeightModel() {
  const auto bytes = [](int field, const std::string& text) {
    return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(text.size())} + text;
  };
  const auto number = [](int field, int value) {
    return std::string{static_cast<char>(field << 3), static_cast<char>(value)};
  };
  const std::string dims = bytes(1, number(1, 1)) + bytes(1, number(1, 4));
  const auto value = [&](const std::string& name) {
    return bytes(1, name) + bytes(2, bytes(1, number(1, 1) + bytes(2, dims)));
  };
  const std::string one_and_a_half("\0\0\xC0\x3F", 4);
  const std::string raw = one_and_a_half + one_and_a_half + one_and_a_half + one_and_a_half;
  const std::string weight = number(1, 1) + number(1, 4) + number(2, 1) + bytes(8, "w") + bytes(9, raw);
  const std::string node = bytes(1, "x") + bytes(1, "w") + bytes(2, "y") + bytes(3, "add") + bytes(4, "Add");
  const std::string graph =
      bytes(1, node) + bytes(2, "g") + bytes(5, weight) + bytes(11, value("x")) + bytes(12, value("y"));
  return number(1, 8) + bytes(7, graph) + bytes(8, number(2, 13));
}

}  // namespace atc::cli
