#include "backend/kernels/onednn/prepared_constants.h"

#include "compiler/ops/evaluator.h"

namespace atc::kernels {

std::shared_ptr<PreparedConstants> MakePreparedConstants() { return std::make_shared<PreparedConstants>(); }

PreparedConstants::Prepared PreparedConstants::Get(const Tensor& constant, const dnnl::memory::desc& plain,
                                                   const dnnl::memory::desc& wanted) {
  if (constant.dtype() == DT_FLOAT && plain == wanted) {
    return {dnnl::memory(plain, Engine(), const_cast<std::byte*>(constant.Data())), false, false};
  }
  std::vector<Entry>& known = by_bytes_[constant.Data()];
  for (const Entry& entry : known) {
    if (entry.dtype == constant.dtype() && entry.plain == plain && entry.prepared.get_desc() == wanted) {
      return {entry.prepared, false, true};
    }
  }
  const Tensor wide = Widen(constant);
  dnnl::memory from(plain, Engine(), const_cast<std::byte*>(wide.Data()));
  dnnl::memory to(wanted, Engine());
  dnnl::reorder(from, to).execute(ThreadStream(), from, to);
  ThreadStream().wait();
  known.push_back({constant.dtype(), plain, to});
  return {to, true, true};
}

}  // namespace atc::kernels
