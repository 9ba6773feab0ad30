// An output of a node that a builder has made.
#pragma once

#include <memory>

#include "ge_common/ge_api_error_codes.h"
#include "graph/gnode.h"
#include "graph/tensor.h"

struct EsCGraphBuilder;

struct EsCTensorHolder {
 public:
  EsCTensorHolder(EsCGraphBuilder& owner, const ge::GNode& producer, int32_t index)
      : owner_(&owner), producer_(producer), index_(index) {}

  ge::Status SetDataType(const ge::DataType type);
  ge::Status SetFormat(const ge::Format format);
  ge::Status SetOriginFormat(const ge::Format format);
  ge::Status SetStorageFormat(const ge::Format format);
  ge::Status SetShape(const ge::Shape& shape);
  ge::Status SetOriginShape(const ge::Shape& shape);
  ge::Status SetStorageShape(const ge::Shape& shape);
  ge::Status SetOriginSymbolShape(const char* const* dims, const int64_t count);

  ge::GNode& GetProducer() { return producer_; }
  int32_t GetOutIndex() const { return index_; }
  EsCGraphBuilder& GetOwnerBuilder() { return *owner_; }

 private:
  template <typename F>
  ge::Status Change(F&& change);

  EsCGraphBuilder* owner_;
  ge::GNode producer_;
  int32_t index_;
};
