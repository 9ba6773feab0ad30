// An output of an operator, to be taken by further ones.
#pragma once

#include <cstdint>
#include <vector>

#include "esb_funcs.h"
#include "ge_common/ge_api_error_codes.h"
#include "graph/gnode.h"

namespace ge {
namespace es {

class EsTensorHolder {
 public:
  EsTensorHolder(EsCTensorHolder* tensor) : tensor_holder_(tensor) {}
  EsTensorHolder() = default;

  // Add, Sub, Mul, RealDiv.
  EsTensorHolder operator+(const EsTensorHolder& other) const;
  EsTensorHolder operator-(const EsTensorHolder& other) const;
  EsTensorHolder operator*(const EsTensorHolder& other) const;
  EsTensorHolder operator/(const EsTensorHolder& other) const;

  EsTensorHolder& SetDataType(const DataType type) {
    EsSetDataType(tensor_holder_, static_cast<C_DataType>(type));
    return *this;
  }
  EsTensorHolder& SetFormat(const Format format) {
    EsSetFormat(tensor_holder_, static_cast<C_Format>(format));
    return *this;
  }
  EsTensorHolder& SetShape(const std::vector<int64_t>& dims) {
    EsSetShape(tensor_holder_, dims.data(), static_cast<int64_t>(dims.size()));
    return *this;
  }
  EsTensorHolder& SetOriginSymbolShape(const std::vector<const char*>& dims) {
    EsSetOriginSymbolShape(tensor_holder_, dims.data(), static_cast<int64_t>(dims.size()));
    return *this;
  }
  Status SetAttr(const char* name, int64_t value) { return EsSetInt64AttrForTensor(tensor_holder_, name, value); }
  Status SetAttr(const char* name, const char* value) { return EsSetStringAttrForTensor(tensor_holder_, name, value); }
  Status SetAttr(const char* name, bool value) { return EsSetBoolAttrForTensor(tensor_holder_, name, value); }
  Status SetAttrForNode(const char* name, int64_t value) { return EsSetInt64AttrForNode(tensor_holder_, name, value); }
  Status SetAttrForNode(const char* name, const char* value) {
    return EsSetStringAttrForNode(tensor_holder_, name, value);
  }
  Status SetAttrForNode(const char* name, bool value) { return EsSetBoolAttrForNode(tensor_holder_, name, value); }

  EsCTensorHolder* GetCTensorHolder() const { return tensor_holder_; }
  // -1 and null for a holder of nothing.
  int32_t GetProducerOutIndex() const;
  GNode* GetProducer() const;
  Status AddControlEdge(const std::vector<EsTensorHolder>& from) const;

 private:
  friend class EsGraphBuilder;
  EsCTensorHolder* tensor_holder_ = nullptr;
};

}  // namespace es
}  // namespace ge
