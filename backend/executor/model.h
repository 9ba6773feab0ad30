// A loaded om, ready to run: what the C API knows of the executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/data_type.h"
#include "compiler/ir/format.h"
#include "compiler/ir/gear_kind.h"
#include "compiler/ir/shape.h"

namespace atc {

struct NodeObserver;
struct RunProfile;
struct Siblings;

namespace runtime {
class Device;
class Stream;
}  // namespace runtime

// One input or output as the model declares it, in origin view.
struct TensorInfo {
  std::string name;  // inputs: the data node's name; outputs: "node:edge" or "node:edge:tensor"
  DataType dtype = DT_UNDEFINED;
  Format format = FORMAT_ND;
  Shape shape;                                      // kUnknownDim where only a run tells
  std::vector<std::pair<int64_t, int64_t>> ranges;  // smallest and largest of each dim, -1 for no bound; or empty
  size_t bytes = 0;                                 // of the largest of the range; 0 where there is no bound
  DataType computed_in = DT_UNDEFINED;              // of an output: OutputPrecisions
};

// What a run may choose among.
struct GearInfo {
  struct Gear {
    std::vector<int64_t> sizes;  // as the input that tells the gear holds them
    std::vector<Shape> inputs, outputs;
  };
  GearKind kind = GearKind::kNone;
  size_t input = 0;  // the one that tells the gear
  std::vector<Gear> gears;

  bool empty() const { return gears.empty(); }
};

struct ModelInfo {
  std::string name;
  // Of a model with gears the dims are kUnknownDim where gears differ, and bytes those of the largest.
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  GearInfo gears;
  uint64_t arena_bytes = 0;            // feature memory, as planned
  uint64_t weight_bytes = 0;           // constants in the file
  uint64_t prepared_weight_bytes = 0;  // constants given another layout or type at load
  uint64_t peak_bytes = 0;             // most memory held at one time so far, weights included
  uint32_t streams = 1;
  uint32_t events = 0;
  uint32_t tasks = 0;
};

// Contiguous memory of one input or output of a run. Strings and sequences take the form that value_codec.h describes.
// Input: data, bytes >= those of shape, the shape of this run.
// Output: data and bytes are the room there is; Execute sets shape to what the run produced. data == nullptr asks
// Execute to take memory from the stream's device (Device::Malloc) and to set data and bytes; it is the caller's then.
struct TensorView {
  void* data = nullptr;
  size_t bytes = 0;
  Shape shape;
};

struct LoadOptions {
  int device_id = 0;
  runtime::Device* device = nullptr;  // where memory is taken from and accounted; never null, outlives the model
  uint32_t cores = 1;                 // the core budget
  void* work = nullptr;               // feature memory of the caller's; nullptr: allocated by the model
  size_t work_bytes = 0;
  std::shared_ptr<Siblings> siblings;  // models of which one runs at a time share what they can; null: there are none
};

class LoadedModel {
 public:
  // Reads and prepares the om. Throws Error when it cannot be read, is damaged, or is not ours.
  static std::shared_ptr<LoadedModel> Load(const std::string& path, const LoadOptions& options);
  // The memory is copied, or not needed when this returns.
  static std::shared_ptr<LoadedModel> Load(std::span<const std::byte> memory, const LoadOptions& options);

  // What the model's header says, without loading it. Throws as Load does. `*own` (may be null) tells whether the om
  // is one of this project's; one of another origin is described but cannot be loaded.
  static ModelInfo Describe(const std::string& path, bool* own);
  static ModelInfo Describe(std::span<const std::byte> memory, bool* own);
  // Only whether it is one of this project's, which the first bytes and the description tell.
  static bool IsOwn(const std::string& path);

  virtual ~LoadedModel() = default;

  // Not to be called during Execute as far as peak_bytes goes; the rest never changes.
  virtual const ModelInfo& info() const = 0;

  // One run, from start to end: returns when all outputs are written. It runs on the calling thread, which for an
  // asynchronous run is the thread of `stream`, so it must not wait for `stream` itself; streams of the plan beyond
  // the first are the model's own. Never called twice at a time. Throws Error for a shape, size or value that does not
  // fit, naming the bytes an output would have needed; the model can be run again after that.
  virtual void Execute(std::span<const TensorView> inputs, std::span<TensorView> outputs, runtime::Stream& stream) = 0;

  // Runs from now on add to `profile`, which outlives its use; nullptr: no longer. Not to be called during Execute.
  virtual void SetProfile(RunProfile* profile) = 0;

  // Runs from now on tell `observer` what their tasks make, from one thread at a time; nodes of nested graphs are left
  // out. An empty one: no longer. Not to be called during Execute.
  virtual void SetObserver(NodeObserver observer) = 0;
};

}  // namespace atc
