#include "cmd/omrun/feed.h"

#include <fmt/format.h>

#include <algorithm>

#include "cmd/omrun/batch.h"

namespace atc::omrun {
namespace {

constexpr uint64_t kMostKeptBytes = 512u << 20;

bool Same(const Source& a, const Source& b) { return a.kind == b.kind && a.text == b.text && a.member == b.member; }

}  // namespace

Feed::Feed(const Samples& samples, const std::vector<TensorInfo>& inputs, const std::vector<TensorInfo>& parts, uint32_t batch,
           Keep keep)
    : samples_(samples), inputs_(inputs), parts_(parts), batch_(batch), keep_(keep) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    shared_.push_back(std::all_of(samples.all.begin(), samples.all.end(), [&](const Sample& sample) {
      return Same(sample.inputs[i], samples.all[0].inputs[i]);
    }));
  }
}

size_t Feed::count_of(size_t group) const { return std::min(batch_, samples_.all.size() - first_of(group)); }

std::shared_ptr<const std::vector<Tensor>> Feed::Load(size_t group) {
  {
    std::lock_guard lock(mutex_);
    const auto found = kept_.find(group);
    if (found != kept_.end()) return found->second;
  }
  auto made = std::make_shared<const std::vector<Tensor>>(Make(group));
  uint64_t bytes = 0;
  for (const Tensor& tensor : *made) bytes += tensor.bytes.size();
  std::lock_guard lock(mutex_);
  // A single group stays on the device: its host memory may go.
  const bool keep = keep_ == Keep::kAll || (keep_ == Keep::kSome && groups() > 1 && kept_bytes_ + bytes <= kMostKeptBytes);
  if (keep && kept_.emplace(group, made).second) kept_bytes_ += bytes;
  return made;
}

void Feed::Prepare() {
  for (size_t group = 0; keep_ == Keep::kAll && group < groups(); ++group) Load(group);
}

std::vector<Tensor> Feed::Make(size_t group) const {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs_.size(); ++i) tensors.push_back(MakeInput(group, i));
  return tensors;
}

Tensor Feed::MakeInput(size_t group, size_t input) const {
  const size_t first = first_of(group);
  const Sample& sample = samples_.all[first];
  if (batch_ == 1) return LoadSource(sample.inputs[input], inputs_[input], input, sample.shapes[input], samples_.filling);
  // What serves all samples may be the whole input, for instance one that has no batch.
  const bool whole = parts_[input].dims == inputs_[input].dims && inputs_[input].known();
  if (shared_[input] || whole) {
    try {
      return LoadSource(sample.inputs[input], inputs_[input], input, sample.shapes[input], samples_.filling);
    } catch (const RunError&) {
      if (whole) throw;
    }
  }
  std::vector<Tensor> tensors;
  for (size_t s = 0; s < count_of(group); ++s) {
    const Sample& member = samples_.all[first + s];
    try {
      tensors.push_back(LoadSource(member.inputs[input], parts_[input], input, member.shapes[input], samples_.filling));
    } catch (const RunError& error) {
      const bool parted = inputs_[input].known() && !whole;
      throw RunError(parted ? fmt::format("{} (--batch {} joins so many samples into the model's {})", error.what(), batch_,
                                          DimsText(inputs_[input].dims))
                            : error.what());
    }
  }
  std::vector<const Tensor*> joined;
  for (size_t s = 0; s < batch_; ++s) joined.push_back(&tensors[std::min(s, tensors.size() - 1)]);
  return Join(joined, inputs_[input].name);
}

}  // namespace atc::omrun
