#include "compiler/om/attr_expansion.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/om/attr_compression.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_attr.h"

namespace atc {
namespace {

namespace pb = openatc::ge;
using AttrMessages = google::protobuf::Map<std::string, pb::AttrDef>;

class Expander {
 public:
  explicit Expander(AttrMessages* model_attrs) {
    const auto names = (*model_attrs)[kCompressNamesAttr].list().s();
    const auto values = (*model_attrs)[kCompressValuesAttr].list().s();
    const auto use_string = (*model_attrs)[kCompressUseStringAttr].list().b();
    names_.assign(names.begin(), names.end());
    values_.assign(values.begin(), values.end());
    use_string_.assign(use_string.begin(), use_string.end());
    for (const char* table : {kCompressVersionAttr, kCompressNamesAttr, kCompressValuesAttr, kCompressUseStringAttr}) model_attrs->erase(table);
  }

  void Expand(AttrMessages* attrs) const {
    AttrMessages expanded;
    for (auto& [name, value] : *attrs) {
      if (name.empty() || name[0] != '\0') {
        expanded[name].Swap(&value);
      } else {
        const size_t number = Decode(name);
        if (number >= names_.size() || number >= use_string_.size()) {
          throw BadMessage{fmt::format("attribute name {} of {} names", number, names_.size())};
        }
        if (use_string_[number]) RestoreStrings(&value);
        expanded[names_[number]].Swap(&value);
      }
    }
    for (auto& [name, value] : expanded) ExpandInside(&value);
    attrs->swap(expanded);
  }

  void Expand(pb::GraphDef* graph) const {
    Expand(graph->mutable_attr());
    for (pb::OpDef& op : *graph->mutable_op()) {
      Expand(op.mutable_attr());
      for (auto& desc : *op.mutable_input_desc()) Expand(desc.mutable_attr());
      for (auto& desc : *op.mutable_output_desc()) Expand(desc.mutable_attr());
    }
  }

 private:
  // See kCompressBase.
  static size_t Decode(std::string_view name) {
    constexpr size_t kMaxDigits = 5;  // the base to the fifth is beyond any table
    size_t number = 0;
    if (name.size() > kMaxDigits + 1) return SIZE_MAX;
    for (size_t i = name.size() - 1; i > 0; --i) number = number * kCompressBase + static_cast<unsigned char>(name[i]) - 1;
    return number;
  }

  const std::string& ValueAt(int64_t number) const {
    if (number < 0 || static_cast<size_t>(number) >= values_.size()) {
      throw BadMessage{fmt::format("attribute value {} of {} values", number, values_.size())};
    }
    return values_[number];
  }

  void RestoreStrings(pb::AttrDef* value) const {
    if (value->value_case() == pb::AttrDef::kI) {
      value->set_s(std::string(ValueAt(value->i())));
    } else if (value->value_case() == pb::AttrDef::kList) {
      auto& list = *value->mutable_list();
      for (const int64_t number : list.i()) list.add_s(ValueAt(number));
      list.clear_i();
      list.set_val_type(pb::AttrDef::ListValue::VT_LIST_STRING);
    }
  }

  // Attributes of what an attribute holds. The parser bounds the depth.
  void ExpandInside(pb::AttrDef* value) const {
    switch (value->value_case()) {
      case pb::AttrDef::kT: Expand(value->mutable_t()->mutable_desc()->mutable_attr()); break;
      case pb::AttrDef::kTd: Expand(value->mutable_td()->mutable_attr()); break;
      case pb::AttrDef::kFunc: Expand(value->mutable_func()->mutable_attr()); break;
      case pb::AttrDef::kG: Expand(value->mutable_g()); break;
      case pb::AttrDef::kList:
        for (auto& tensor : *value->mutable_list()->mutable_t()) Expand(tensor.mutable_desc()->mutable_attr());
        for (auto& desc : *value->mutable_list()->mutable_td()) Expand(desc.mutable_attr());
        for (auto& func : *value->mutable_list()->mutable_na()) Expand(func.mutable_attr());
        for (auto& graph : *value->mutable_list()->mutable_g()) Expand(&graph);
        break;
      default: break;
    }
  }

  std::vector<std::string> names_;
  std::vector<std::string> values_;
  std::vector<bool> use_string_;
};

}  // namespace

void ExpandAttributes(pb::ModelDef* model) {
  const auto version = model->attr().find(kCompressVersionAttr);
  if (version == model->attr().end() || version->second.i() != 1) return;
  const Expander expander(model->mutable_attr());
  expander.Expand(model->mutable_attr());
  for (pb::GraphDef& graph : *model->mutable_graph()) expander.Expand(&graph);
}

}  // namespace atc
