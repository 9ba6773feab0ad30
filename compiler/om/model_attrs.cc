#include "compiler/om/model_attrs.h"

#include <algorithm>
#include <map>

#include "compiler/io/utf8.h"
#include "compiler/om/proto/ge_model.pb.h"
#include "compiler/om/proto_attr.h"

namespace atc {
namespace {

namespace pb = openatc::ge;

// Fields of OmModel.
constexpr std::pair<const char*, int64_t OmModel::*> kFields[] = {
    {"event_num", &OmModel::event_num},
    {"memory_size", &OmModel::memory_size},
    {"stream_num", &OmModel::stream_num},
    {"weight_size", &OmModel::weight_size},
    {"zero_copy_memory_size", &OmModel::zero_copy_memory_size},
};

// Kinds of resources that our models have none of, unless an attribute says so.
constexpr const char* kZeros[] = {
    "batch_num",
    "host_memory_size",
    "host_svm_size",
    "label_num",
    "notify_num",
    "p2p_memory_size",
    "session_scope_memory_size",
    "task_gen_base_addr",
    "task_gen_variable_addr",
    "variable_size",
};

constexpr const char* kOthers[] = {kOurFormatAttr, "om_info_list", "sub_memory_info", "task_gen_weight_addr"};

constexpr int64_t kHbm = 2;  // the memory type of device memory in sub_memory_info

bool IsDerived(std::string_view name) {
  return std::find(std::begin(kZeros), std::end(kZeros), name) != std::end(kZeros) ||
         std::find(std::begin(kOthers), std::end(kOthers), name) != std::end(kOthers);
}

}  // namespace

void ModelAttrsToProto(const OmModel& model, const PartitionBytes& sizes, pb::ModelDef* to) {
  auto& attrs = *to->mutable_attr();
  for (const auto& [name, value] : model.attrs) ToProto(value, &attrs[EscapeInvalidUtf8(name.str())]);
  for (const auto& [name, field] : kFields) attrs[name].set_i(model.*field);
  attrs["weight_size"].set_i(sizes.weights);
  for (const char* name : kZeros) {
    if (!model.attrs.Has(name)) attrs[name].set_i(0);
  }
  attrs[kOurFormatAttr].set_i(kOurFormat);
  // Weights, tbe kernels, aicpu kernels, task info, shared objects.
  ToProto(AttrValue(std::vector<int64_t>{sizes.weights, 0, 0, sizes.tasks, 0}), &attrs["om_info_list"]);
  // Type, base, size, fixed; the last row is the part bound to user buffers.
  const int64_t own = model.memory_size - model.zero_copy_memory_size;
  ToProto(AttrValue(std::vector<std::vector<int64_t>>{{kHbm, 0, own, 0}, {kHbm, own, model.zero_copy_memory_size, 0}}),
          &attrs["sub_memory_info"]);
  attrs["task_gen_weight_addr"].set_i(model.memory_size);
}

void ModelAttrsFromProto(const pb::ModelDef& from, OmModel* model) {
  // A map's order is not its own; ours is by name.
  std::map<std::string_view, const pb::AttrDef*> sorted;
  for (const auto& [name, value] : from.attr()) sorted.emplace(name, &value);
  for (const auto& [name, value] : sorted) {
    const auto field =
        std::find_if(std::begin(kFields), std::end(kFields), [&](const auto& f) { return f.first == name; });
    if (field != std::end(kFields)) {
      model->*(field->second) = value->i();
    } else if (!IsDerived(name)) {
      model->attrs.Set(name, FromProto(*value));
    }
  }
}

}  // namespace atc
