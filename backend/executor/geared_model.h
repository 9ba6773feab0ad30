// A model with gears: a model for each, of which a run takes the one that its last input names.
#pragma once

#include <memory>
#include <vector>

#include "backend/executor/model.h"
#include "backend/executor/observe.h"
#include "compiler/ir/gears.h"
#include "compiler/om/om_model.h"

namespace atc {

class GearedModel : public LoadedModel {
 public:
  // Prepares the models of all gears, which share the arena, weights as they lie in the file and weights that kernels have
  // brought into the same form. Throws Error as StaticModel does.
  GearedModel(OmModel model, const LoadOptions& options);
  ~GearedModel() override;

  const ModelInfo& info() const override { return info_; }
  // Of an input it reads what the gear has of it. Throws Error, naming the gears, where none has the sizes asked for.
  void Execute(std::span<const TensorView> inputs, std::span<TensorView> outputs, runtime::Stream& stream) override;
  void SetProfile(RunProfile* profile) override;
  void SetObserver(NodeObserver observer) override;

 private:
  struct Copy {
    std::vector<size_t> inputs;  // of the model, by input of the copy
    std::unique_ptr<LoadedModel> model;
    const RunProfile* profile = nullptr;  // that it adds to
    bool observed = false;                // by observer_
  };

  void TakeMemory(const LoadOptions& options, int64_t bytes);
  void Load(OmModel& whole, const Gears& gears, const LoadOptions& options);
  size_t GearOf(const TensorView& told) const;
  void CountMemory();

  ModelInfo info_;
  runtime::Device* device_;
  std::byte* arena_ = nullptr;     // of this model's own
  std::vector<Copy> copies_;       // by gear
  std::vector<TensorView> given_;  // of this run
  RunProfile* profile_ = nullptr;
  NodeObserver observer_;
};

}  // namespace atc
