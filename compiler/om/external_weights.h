// Weights in files beside the om, as --external_weight asks: <folder of the om>/weight/...
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/options.h"
#include "compiler/ir/tensor.h"
#include "compiler/om/weight_layout.h"

namespace atc {

// The names of the attributes of a FileConstant.
inline constexpr char kLocationAttr[] = "location";  // a path relative to the om
inline constexpr char kOffsetAttr[] = "offset";      // bytes
inline constexpr char kLengthAttr[] = "length";      // bytes
inline constexpr char kShapeAttr[] = "shape";
inline constexpr char kDtypeAttr[] = "dtype";

// Writes the contents of a layout to files, and says where each is. Files that this object made are removed with it
// unless Keep was called, so that a conversion that fails leaves none behind.
class ExternalWeights {
 public:
  struct Place {
    std::string location;
    int64_t offset = 0;
  };

  // kFilePerWeight: weight_<SHA-256 of the content> each; kOneFile: <name>_weight_combined, contents on multiples of
  // 512. `om_path` is where the om will be. Errors: E13001, E13004.
  ExternalWeights(const WeightLayout& layout, ExternalWeight kind, const std::string& om_path, const std::string& name);
  ~ExternalWeights();
  ExternalWeights(const ExternalWeights&) = delete;
  ExternalWeights& operator=(const ExternalWeights&) = delete;

  // Of the content that the layout has at `layout_offset`.
  const Place& Find(int64_t layout_offset) const { return places_.at(layout_offset); }
  void Keep() { made_.clear(); }

 private:
  void WriteEach(const WeightLayout& layout, const std::string& folder);
  void WriteCombined(const WeightLayout& layout, const std::string& folder, const std::string& name);

  std::map<int64_t, Place> places_;
  std::vector<std::string> made_;
};

// The files that FileConstants of one om refer to, each mapped once.
class ExternalFiles {
 public:
  // `om_path` names the om: locations are relative to its folder. Empty for an om in memory, which has no folder.
  explicit ExternalFiles(std::string om_path) : om_path_(std::move(om_path)) {}

  // `length` bytes at `offset` of the file `location`. Nothing in the om is trusted: BadMessage for a location that is
  // absolute or leaves the folder, and for bytes that the file has not; E13001, E13003 for a file that cannot be read.
  Buffer Window(const std::string& location, int64_t offset, int64_t length);

 private:
  std::string om_path_;
  std::map<std::string, Buffer> files_;
};

}  // namespace atc
