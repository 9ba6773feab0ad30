// A model whose shapes are known only when it runs: operator by operator, in origin views.
#pragma once

#include "backend/executor/model.h"
#include "compiler/om/om_model.h"

namespace atc {

class DynamicModel : public LoadedModel {
 public:
  DynamicModel(OmModel model, const LoadOptions& options);

  const ModelInfo& info() const override { return info_; }
  void Execute(std::span<const TensorView> inputs, std::span<TensorView> outputs, runtime::Stream& stream) override;

 private:
  OmModel model_;
  ModelInfo info_;
};

}  // namespace atc
