// The data of each run.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cmd/omrun/sample.h"

namespace atc::omrun {

// Which samples stay in host memory once they are read: none, so that every run reads its files; as many as are few; all.
enum class Keep { kNothing, kSome, kAll };

// Groups samples into runs of `batch` and loads their tensors. May be used from many threads.
class Feed {
 public:
  // `inputs` are the model's, `parts` what one sample gives of them (PartsOf). All outlive the feed.
  Feed(const Samples& samples, const std::vector<TensorInfo>& inputs, const std::vector<TensorInfo>& parts, uint32_t batch,
       Keep keep = Keep::kSome);

  size_t groups() const { return (samples_.all.size() + batch_ - 1) / batch_; }
  size_t first_of(size_t group) const { return group * batch_; }
  // Samples of the group; the last one may have fewer than the batch.
  size_t count_of(size_t group) const;

  // Reads all groups with Keep::kAll, else none.
  void Prepare();

  // One tensor for each input. The last group is filled up with its last sample. Throws RunError.
  std::shared_ptr<const std::vector<Tensor>> Load(size_t group);

 private:
  std::vector<Tensor> Make(size_t group) const;
  Tensor MakeInput(size_t group, size_t input) const;

  const Samples& samples_;
  const std::vector<TensorInfo>& inputs_;
  const std::vector<TensorInfo>& parts_;
  const size_t batch_;
  const Keep keep_;
  std::vector<bool> shared_;  // by input: all samples have the same source
  std::mutex mutex_;
  std::map<size_t, std::shared_ptr<const std::vector<Tensor>>> kept_;
  uint64_t kept_bytes_ = 0;
};

}  // namespace atc::omrun
