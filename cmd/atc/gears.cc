#include "cmd/atc/gears.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "cmd/atc/grammar.h"
#include "cmd/atc/text.h"
#include "compiler/ir/error.h"

namespace atc::cli {
namespace {

constexpr std::string_view kGearFlags[] = {"dynamic_batch_size", "dynamic_image_size", "dynamic_dims"};

Error Wrong(std::string_view flag, std::string_view value, std::string reason) {
  return Error("E10003",
               {{"value", std::string(value)}, {"parameter", std::string(flag)}, {"reason", std::move(reason)}});
}

bool IsOpen(const DimRange& dim) { return dim.max == kUnknownDim; }

int64_t CountOpen(const InputShapeOption& shape) { return std::count_if(shape.dims.begin(), shape.dims.end(), IsOpen); }

std::string DimText(const InputShapeOption& shape) {
  std::string text;
  for (const DimRange& dim : shape.dims) text += (text.empty() ? "" : ",") + std::to_string(IsOpen(dim) ? -1 : dim.min);
  return text;
}

// Only the last separator may have nothing after it.
std::string_view WithoutTail(std::string_view text, char separator) {
  if (text.ends_with(separator)) text.remove_suffix(1);
  return text;
}

int64_t Size(std::string_view flag, std::string_view text, std::string_view word) {
  word = Trim(word);
  int64_t size = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
  if (error == std::errc::result_out_of_range || size > INT32_MAX) {
    throw Error("E10013", {{"value", std::string(word)}, {"parameter", std::string(flag)}});
  }
  if (error != std::errc() || end != word.data() + word.size()) {
    throw Wrong(flag, text, word.empty() ? "A size is missing." : fmt::format("'{}' is no size.", word));
  }
  return size;
}

std::vector<int64_t> Sizes(std::string_view flag, std::string_view text, std::string_view group) {
  std::vector<int64_t> sizes;
  for (std::string_view word : Split(group, ',')) sizes.push_back(Size(flag, text, word));
  return sizes;
}

void CheckBatchShapes(const std::vector<InputShapeOption>& shapes) {
  bool any = false;
  bool elsewhere = false;
  const InputShapeOption* mixed = nullptr;
  for (const InputShapeOption& shape : shapes) {
    if (shape.dims.empty()) throw Error("E10012", {});
    const bool batch = IsOpen(shape.dims[0]);
    const bool others = std::any_of(shape.dims.begin() + 1, shape.dims.end(), IsOpen);
    any |= batch;
    elsewhere |= others;
    if (others && (batch || mixed == nullptr)) mixed = &shape;
  }
  if (!any) throw Error("E10031", {});
  if (!elsewhere) return;
  const auto open = std::find_if(mixed->dims.begin() + 1, mixed->dims.end(), IsOpen);
  throw Error("E10018", {{"shape", DimText(*mixed)}, {"index", std::to_string(open - mixed->dims.begin())}});
}

void CheckImageShapes(const std::vector<InputShapeOption>& shapes, const FlagValues& flags) {
  const std::string format = flags.Get("input_format");
  if (format != "NCHW" && format != "NHWC") {
    throw Wrong("input_format", format, "With --dynamic_image_size it is NCHW or NHWC.");
  }
  const size_t height = format == "NCHW" ? 2 : 1;
  bool any = false;
  for (const InputShapeOption& shape : shapes) {
    if (CountOpen(shape) == 0) continue;
    if (shape.dims.size() != 4 || CountOpen(shape) != 2 || !IsOpen(shape.dims[height]) ||
        !IsOpen(shape.dims[height + 1])) {
      throw Error("E10019", {});
    }
    any = true;
  }
  if (!any) throw Error("E10019", {});
}

std::vector<std::vector<int64_t>> BatchProfiles(std::string_view flag, std::string_view text) {
  if (text.find_first_not_of("0123456789,") != std::string_view::npos) {
    throw Wrong(flag, text, "It can only contain digits and \",\".");
  }
  std::vector<std::vector<int64_t>> profiles;
  for (std::string_view word : Split(WithoutTail(text, ','), ',')) profiles.push_back({Size(flag, text, word)});
  return profiles;
}

std::vector<std::vector<int64_t>> ImageProfiles(std::string_view flag, std::string_view text) {
  if (text.find_first_not_of("0123456789,; ") != std::string_view::npos) {
    throw Wrong(flag, text, "It can only contain digits, \",\", \" \" and \";\".");
  }
  std::vector<std::vector<int64_t>> profiles;
  for (std::string_view group : Split(WithoutTail(text, ';'), ';')) {
    if (Split(group, ',').size() != 2) throw Error("E10020", {{"dynamic_image_size", std::string(text)}});
    profiles.push_back(Sizes(flag, text, group));
  }
  return profiles;
}

std::vector<std::vector<int64_t>> DimsProfiles(std::string_view flag, std::string_view text,
                                               const std::vector<InputShapeOption>& shapes) {
  const auto invalid = [&](std::string parameter, std::string_view value, std::string reason) {
    return Error("E10001",
                 {{"value", std::string(value)}, {"parameter", std::move(parameter)}, {"reason", std::move(reason)}});
  };
  int64_t open = 0;
  for (const InputShapeOption& shape : shapes) open += CountOpen(shape);
  if (open == 0) {
    throw invalid("--dynamic_dims", text, "No dim in --input_shape is -1, so that there is nothing to give sizes for.");
  }
  if (text.find_first_not_of("0123456789,; ") != std::string_view::npos) {
    throw invalid("--dynamic_dims", text, "Dynamic dims must be a positive integer.");
  }
  std::vector<std::vector<int64_t>> profiles;
  for (std::string_view group : Split(WithoutTail(text, ';'), ';')) {
    profiles.push_back(Sizes(flag, text, group));
    const auto sizes = static_cast<int64_t>(profiles.back().size());
    for (const InputShapeOption& shape : shapes) {
      if (CountOpen(shape) > sizes) throw Error("E10045", {{"name", shape.name}, {"shape", DimText(shape)}});
    }
    if (open > sizes) throw Error("E10046", {});
    if (sizes > open) {
      throw Wrong(
          flag, text,
          fmt::format("Each setting needs to be consistent with the number of -1 in the input shape: '{}' has {} "
                      "sizes for {}.",
                      group, profiles.back().size(), open));
    }
  }
  return profiles;
}

void CheckProfiles(const std::vector<std::vector<int64_t>>& profiles) {
  const std::string count = std::to_string(profiles.size());
  if (profiles.size() < kMinProfiles) {
    throw Error("E10035", {{"shapesize", count}, {"minshapesize", std::to_string(kMinProfiles)}});
  }
  if (profiles.size() > kMaxProfiles) {
    throw Error("E10036", {{"shapesize", count}, {"maxshapesize", std::to_string(kMaxProfiles)}});
  }
  std::set<std::vector<int64_t>> seen;
  for (const std::vector<int64_t>& profile : profiles) {
    if (profile.size() != profiles[0].size()) {
      throw Error("E10037",
                  {{"shapesize1", std::to_string(profiles[0].size())}, {"shapesize2", std::to_string(profile.size())}});
    }
    for (const int64_t dim : profile) {
      if (dim <= 0) throw Error("E10038", {{"dim", std::to_string(dim)}});
    }
    if (!seen.insert(profile).second) throw Error("E10039", {});
  }
}

}  // namespace

bool HasGears(const FlagValues& flags) {
  return std::any_of(std::begin(kGearFlags), std::end(kGearFlags), [&](auto name) { return flags.IsSet(name); });
}

Gears ParseGears(const FlagValues& flags) {
  int given = flags.IsSet("input_shape_range");
  Gears gears;
  for (std::string_view name : kGearFlags) {
    given += flags.IsSet(name);
    if (flags.IsSet(name)) gears.flag = name;
  }
  if (given > 1) throw Error("E10009", {});
  if (!flags.IsSet("input_shape")) throw Error("E10004", {{"parameter", "input_shape"}});
  gears.shapes = ParseInputShape(flags.Get("input_shape"), /*gears=*/true);
  const std::string text = flags.Get(gears.flag);
  if (gears.flag == "dynamic_batch_size") {
    CheckBatchShapes(gears.shapes);
    gears.profiles = BatchProfiles(gears.flag, text);
  } else if (gears.flag == "dynamic_image_size") {
    CheckImageShapes(gears.shapes, flags);
    gears.profiles = ImageProfiles(gears.flag, text);
  } else {
    gears.profiles = DimsProfiles(gears.flag, text, gears.shapes);
  }
  CheckProfiles(gears.profiles);
  return gears;
}

}  // namespace atc::cli
