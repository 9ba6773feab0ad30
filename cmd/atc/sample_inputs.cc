#include "cmd/atc/sample_inputs.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "cmd/atc/text.h"
#include "compiler/ir/error.h"

namespace atc::cli {
namespace {

Error Invalid(const std::string& value, std::string reason) {
  return Error("E10001", {{"value", value}, {"parameter", "--sample_inputs"}, {"reason", std::move(reason)}},
               "Write --sample_inputs=\"name:file.npy;name2:0~255\".");
}

std::optional<double> Number(std::string_view text) {
  text = Trim(text);
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || fault != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

std::vector<SampleInput> ParseSampleInputs(const std::string& text) {
  std::vector<SampleInput> samples;
  for (std::string_view item : Split(text, ';')) {
    item = Trim(item);
    if (item.empty()) continue;
    const size_t colon = item.rfind(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == item.size()) {
      throw Invalid(std::string(item), "Each item is the name of an input, a colon, and a file or a range.");
    }
    SampleInput sample;
    sample.name = item.substr(0, colon);
    const std::string_view value = item.substr(colon + 1);
    if (value.ends_with(".npy") || value.ends_with(".bin")) {
      sample.file = value;
    } else {
      const size_t tilde = value.find('~');
      const auto low = Number(value.substr(0, tilde));
      const auto high = tilde == std::string_view::npos ? low : Number(value.substr(tilde + 1));
      if (!low || !high || *low > *high) {
        throw Invalid(std::string(item), "What follows the colon is a file *.npy or *.bin, or a range as 0~255, the smaller first.");
      }
      sample.low = *low;
      sample.high = *high;
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace atc::cli
