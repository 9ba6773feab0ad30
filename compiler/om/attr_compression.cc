#include "compiler/om/attr_compression.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/om/proto/ge_model.pb.h"

namespace atc {
namespace {

namespace pb = openatc::ge;
using AttrMessages = google::protobuf::Map<std::string, pb::AttrDef>;

bool IsTexts(const pb::AttrDef& value) {
  return value.value_case() == pb::AttrDef::kList && value.list().val_type() == pb::AttrDef::ListValue::VT_LIST_STRING;
}

// Calls `visit` with every map of attributes that is compressed.
template <typename Visit>
void ForEachMap(pb::ModelDef* model, Visit visit) {
  for (pb::GraphDef& graph : *model->mutable_graph()) {
    for (pb::OpDef& op : *graph.mutable_op()) {
      visit(op.mutable_attr());
      for (auto& desc : *op.mutable_input_desc()) visit(desc.mutable_attr());
      for (auto& desc : *op.mutable_output_desc()) visit(desc.mutable_attr());
    }
  }
}

struct Entry {
  size_t uses = 0;
  bool texts = true;  // nothing else under this name
  size_t number = 0;
};

// From the most used to the least; equal ones by their text.
std::vector<std::string> Numbered(std::map<std::string, Entry>* table) {
  std::vector<std::pair<size_t, std::string>> order;
  for (const auto& [text, entry] : *table) order.push_back({entry.uses, text});
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  for (auto& [uses, text] : order) {
    table->at(text).number = texts.size();
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string Encoded(size_t number) {
  std::string name(1, '\0');
  do {
    name += static_cast<char>(number % kCompressBase + 1);
    number /= kCompressBase;
  } while (number > 0);
  return name;
}

class Compressor {
 public:
  explicit Compressor(pb::ModelDef* model) : model_(model) {
    ForEachMap(model, [&](AttrMessages* attrs) {
      for (const auto& [name, value] : *attrs) {
        Entry& entry = names_[name];
        ++entry.uses;
        entry.texts &= value.value_case() == pb::AttrDef::kS || IsTexts(value);
      }
    });
    ForEachMap(model, [&](AttrMessages* attrs) {
      for (const auto& [name, value] : *attrs) {
        if (!names_.at(name).texts) continue;
        if (value.value_case() == pb::AttrDef::kS) ++values_[value.s()].uses;
        for (const std::string& text : value.list().s()) ++values_[text].uses;
      }
    });
  }

  void Run() {
    pb::AttrDef names, values, use_string;
    names.mutable_list()->set_val_type(pb::AttrDef::ListValue::VT_LIST_STRING);
    values.mutable_list()->set_val_type(pb::AttrDef::ListValue::VT_LIST_STRING);
    use_string.mutable_list()->set_val_type(pb::AttrDef::ListValue::VT_LIST_BOOL);
    for (const std::string& name : Numbered(&names_)) {
      names.mutable_list()->add_s(name);
      use_string.mutable_list()->add_b(names_.at(name).texts);
    }
    for (const std::string& text : Numbered(&values_)) values.mutable_list()->add_s(text);
    ForEachMap(model_, [&](AttrMessages* attrs) { Compress(attrs); });
    auto& attrs = *model_->mutable_attr();
    attrs[kCompressVersionAttr].set_i(1);
    attrs[kCompressNamesAttr] = std::move(names);
    attrs[kCompressValuesAttr] = std::move(values);
    attrs[kCompressUseStringAttr] = std::move(use_string);
  }

 private:
  void Compress(AttrMessages* attrs) const {
    AttrMessages compressed;
    for (auto& [name, value] : *attrs) {
      const Entry& entry = names_.at(name);
      if (entry.texts) ToNumbers(&value);
      compressed[Encoded(entry.number)].Swap(&value);
    }
    attrs->swap(compressed);
  }

  void ToNumbers(pb::AttrDef* value) const {
    if (value->value_case() == pb::AttrDef::kS) {
      value->set_i(static_cast<int64_t>(values_.at(value->s()).number));
      return;
    }
    auto& list = *value->mutable_list();
    for (const std::string& text : list.s()) list.add_i(static_cast<int64_t>(values_.at(text).number));
    list.clear_s();
    list.set_val_type(pb::AttrDef::ListValue::VT_LIST_INT);
  }

  pb::ModelDef* model_;
  std::map<std::string, Entry> names_;
  std::map<std::string, Entry> values_;
};

}  // namespace

void CompressAttributes(pb::ModelDef* model) { Compressor(model).Run(); }

}  // namespace atc
