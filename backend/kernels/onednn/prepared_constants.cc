#include "backend/kernels/onednn/prepared_constants.h"

#include "compiler/ops/evaluator.h"

namespace atc::kernels {

std::shared_ptr<PreparedConstants> MakePreparedConstants() { return std::make_shared<PreparedConstants>(); }

SharedForms& FormsOf(PreparedConstants& prepared) { return prepared.forms; }

std::optional<KeptMemory> PreparedConstants::Find(const Tensor& constant, const dnnl::memory::desc& plain,
                                                  const dnnl::memory::desc& wanted) const {
  const auto known = by_bytes_.find(constant.Data());
  if (known == by_bytes_.end()) return std::nullopt;
  const std::shared_ptr<const void>& owner = constant.buffer().owner;
  for (const Entry& entry : known->second) {
    if (entry.owner.owner_before(owner) || owner.owner_before(entry.owner)) continue;
    if (entry.dtype == constant.dtype() && entry.plain == plain && entry.prepared.memory.get_desc() == wanted)
      return entry.prepared;
  }
  return std::nullopt;
}

PreparedConstants::Prepared PreparedConstants::Get(const Tensor& constant, const dnnl::memory::desc& plain,
                                                   const dnnl::memory::desc& wanted) {
  if (constant.dtype() == DT_FLOAT && plain == wanted) {
    return {{dnnl::memory(plain, Engine(), const_cast<std::byte*>(constant.Data())), nullptr}, false, false};
  }
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = Find(constant, plain, wanted)) return {*known, false, true};
  }
  const Tensor wide = Widen(constant);
  const KeptMemory to = Rearranged(plain, wide.Data(), wanted);
  const std::lock_guard lock(mutex_);
  // Another thread may have made the same meanwhile: its copy serves both.
  if (const auto known = Find(constant, plain, wanted)) return {*known, false, true};
  by_bytes_[constant.Data()].push_back({constant.buffer().owner, constant.dtype(), plain, to});
  return {to, true, true};
}

}  // namespace atc::kernels
