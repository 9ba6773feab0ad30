// One node, with what its type looks like: for types that no class declares.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/attr_value.h"
#include "graph/gnode.h"
#include "graph/graph.h"
#include "graph/operator.h"

namespace ge {
namespace es {

template <typename T>
AttrValue CreateFrom(T&& value) {
  AttrValue attr;
  attr.SetAttrValue(std::forward<T>(value));
  return attr;
}

template <typename T>
bool ValuesEqual(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(a - b) < 1e-6f;
  } else {
    return a == b;
  }
}

// No value at all where it is the default.
template <typename T>
AttrValue CreateFromIfNotEqual(T&& value, typename std::decay<T>::type fallback) {
  return ValuesEqual(static_cast<const std::decay_t<T>&>(value), fallback) ? AttrValue()
                                                                           : CreateFrom(std::forward<T>(value));
}

graphStatus AddEdgeAndUpdatePeerDesc(Graph& graph, GNode& from, int32_t from_port, GNode& to, int32_t to_port);

class CompliantNodeBuilder {
 public:
  enum IrAttrType { kEsAttrRequired, kEsAttrOptional };
  enum IrInputType { kEsIrInputRequired, kEsIrInputOptional, kEsIrInputDynamic, kEsIrInputTypeEnd };
  enum IrOutputType { kEsIrOutputRequired, kEsIrOutputDynamic, kEsIrOutputTypeEnd };

  struct IrInputDef {
    std::string name;
    IrInputType ir_input_type;
    std::string symbol_id;
  };
  struct IrOutputDef {
    std::string name;
    IrOutputType ir_output_type;
    std::string symbol_id;
  };
  struct IrAttrDef {
    std::string attr_name;
    IrAttrType ir_attr_type;
    std::string attr_data_type;
    AttrValue attr_default_value;
  };

  // The same without std::string.
  class IrInputDefV2 {
   public:
    IrInputDefV2() = default;
    IrInputDefV2(const char_t* name, IrInputType type, const char_t* symbol) : name_(name), type_(type), symbol_(symbol) {}
    IrInputDefV2& Name(const char_t* name) { return name_ = name, *this; }
    IrInputDefV2& InputType(IrInputType type) { return type_ = type, *this; }
    IrInputDefV2& SymbolId(const char_t* symbol) { return symbol_ = symbol, *this; }
    const char_t* GetName() const { return name_.GetString(); }
    IrInputType GetInputType() const { return type_; }
    const char_t* GetSymbolId() const { return symbol_.GetString(); }

   private:
    AscendString name_;
    IrInputType type_ = kEsIrInputRequired;
    AscendString symbol_;
  };
  class IrOutputDefV2 {
   public:
    IrOutputDefV2() = default;
    IrOutputDefV2(const char_t* name, IrOutputType type, const char_t* symbol)
        : name_(name), type_(type), symbol_(symbol) {}
    IrOutputDefV2& Name(const char_t* name) { return name_ = name, *this; }
    IrOutputDefV2& OutputType(IrOutputType type) { return type_ = type, *this; }
    IrOutputDefV2& SymbolId(const char_t* symbol) { return symbol_ = symbol, *this; }
    const char_t* GetName() const { return name_.GetString(); }
    IrOutputType GetOutputType() const { return type_; }
    const char_t* GetSymbolId() const { return symbol_.GetString(); }

   private:
    AscendString name_;
    IrOutputType type_ = kEsIrOutputRequired;
    AscendString symbol_;
  };
  // The value is the one that the node gets, and for an optional attribute may be none.
  class IrAttrDefV2 {
   public:
    IrAttrDefV2() = default;
    IrAttrDefV2(const char_t* name, IrAttrType type, const char_t* data_type, const AttrValue& value)
        : name_(name), type_(type), data_type_(data_type), value_(value) {}
    IrAttrDefV2& AttrName(const char_t* name) { return name_ = name, *this; }
    IrAttrDefV2& AttrType(IrAttrType type) { return type_ = type, *this; }
    IrAttrDefV2& AttrDataType(const char_t* data_type) { return data_type_ = data_type, *this; }
    IrAttrDefV2& DefaultValue(const AttrValue& value) { return value_ = value, *this; }
    const char_t* GetAttrName() const { return name_.GetString(); }
    IrAttrType GetAttrType() const { return type_; }
    const char_t* GetAttrDataType() const { return data_type_.GetString(); }
    const AttrValue& GetDefaultValue() const { return value_; }

   private:
    AscendString name_;
    IrAttrType type_ = kEsAttrRequired;
    AscendString data_type_;
    AttrValue value_;
  };

  explicit CompliantNodeBuilder(Graph* graph);
  ~CompliantNodeBuilder();
  CompliantNodeBuilder(CompliantNodeBuilder&&) noexcept;
  CompliantNodeBuilder& operator=(CompliantNodeBuilder&&) noexcept;

  CompliantNodeBuilder& OpType(const char_t* type);
  CompliantNodeBuilder& Name(const char_t* name);
  CompliantNodeBuilder& IrDefInputsV2(const IrInputDefV2* inputs, size_t count);
  CompliantNodeBuilder& IrDefInputsV2(std::initializer_list<IrInputDefV2> inputs) {
    return IrDefInputsV2(inputs.begin(), inputs.size());
  }
  CompliantNodeBuilder& IrDefInputsV2(const std::vector<IrInputDefV2>& inputs) {
    return IrDefInputsV2(inputs.data(), inputs.size());
  }
  CompliantNodeBuilder& IrDefInputs(std::vector<IrInputDef> inputs) {
    std::vector<IrInputDefV2> all;
    for (const IrInputDef& input : inputs) {
      all.emplace_back(input.name.c_str(), input.ir_input_type, input.symbol_id.c_str());
    }
    return IrDefInputsV2(all);
  }
  CompliantNodeBuilder& IrDefOutputsV2(const IrOutputDefV2* outputs, size_t count);
  CompliantNodeBuilder& IrDefOutputsV2(std::initializer_list<IrOutputDefV2> outputs) {
    return IrDefOutputsV2(outputs.begin(), outputs.size());
  }
  CompliantNodeBuilder& IrDefOutputsV2(const std::vector<IrOutputDefV2>& outputs) {
    return IrDefOutputsV2(outputs.data(), outputs.size());
  }
  CompliantNodeBuilder& IrDefOutputs(std::vector<IrOutputDef> outputs) {
    std::vector<IrOutputDefV2> all;
    for (const IrOutputDef& output : outputs) {
      all.emplace_back(output.name.c_str(), output.ir_output_type, output.symbol_id.c_str());
    }
    return IrDefOutputsV2(all);
  }
  CompliantNodeBuilder& IrDefAttrsV2(const IrAttrDefV2* attrs, size_t count);
  CompliantNodeBuilder& IrDefAttrsV2(std::initializer_list<IrAttrDefV2> attrs) {
    return IrDefAttrsV2(attrs.begin(), attrs.size());
  }
  CompliantNodeBuilder& IrDefAttrsV2(const std::vector<IrAttrDefV2>& attrs) {
    return IrDefAttrsV2(attrs.data(), attrs.size());
  }
  CompliantNodeBuilder& IrDefAttrs(std::vector<IrAttrDef> attrs) {
    std::vector<IrAttrDefV2> all;
    for (const IrAttrDef& attr : attrs) {
      all.emplace_back(attr.attr_name.c_str(), attr.ir_attr_type, attr.attr_data_type.c_str(), attr.attr_default_value);
    }
    return IrDefAttrsV2(all);
  }
  CompliantNodeBuilder& InstanceDynamicInputNum(const char_t* name, int32_t count);
  CompliantNodeBuilder& InstanceDynamicOutputNum(const char_t* name, int32_t count);
  // What is known of an output.
  CompliantNodeBuilder& InstanceOutputDataType(const char_t* name, DataType type);
  CompliantNodeBuilder& InstanceOutputShape(const char_t* name, const std::vector<int64_t>& shape);
  CompliantNodeBuilder& InstanceOutputOriginShape(const char_t* name, const std::vector<int64_t>& shape);
  CompliantNodeBuilder& InstanceOutputStorageShape(const char_t* name, const std::vector<int64_t>& shape);
  CompliantNodeBuilder& InstanceOutputFormat(const char_t* name, Format format);
  CompliantNodeBuilder& InstanceOutputOriginFormat(const char_t* name, Format format);
  CompliantNodeBuilder& InstanceOutputStorageFormat(const char_t* name, Format format);

  // An invalid node where the graph takes none.
  GNode Build() const;

 private:
  class CompliantNodeBuilderImpl;
  std::unique_ptr<CompliantNodeBuilderImpl> impl_;
};

}  // namespace es
}  // namespace ge
