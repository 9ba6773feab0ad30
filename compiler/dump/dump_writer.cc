#include "compiler/dump/dump_writer.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "compiler/io/compile_threads.h"

namespace atc {
namespace {

// Nodes of the stages that wait: enough that a conversion of a model of some thousand nodes never waits for its dumps.
constexpr size_t kMostNodes = 200'000;

// Where the cores are not enough for all, the conversion goes first.
void GiveWay() {
  constexpr int kSteps = 4;  // of niceness: others that are busy do not stop them
  const auto self = static_cast<id_t>(gettid());
  setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + kSteps);
}

}  // namespace

DumpWriter::DumpWriter(std::vector<FormFiles> forms) {
  for (FormFiles& form : forms) forms_.push_back({std::move(form)});
  const size_t cores = CompileThreads(std::max(1u, std::thread::hardware_concurrency()));
  const size_t threads = std::clamp<size_t>(cores - 1, 1, forms_.size());
  try {
    for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
  } catch (const std::system_error&) {
    // The process may have no more threads: those that there are do it, or whoever gives.
  }
}

DumpWriter::~DumpWriter() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void DumpWriter::Give(size_t form, FormFiles::Job job) {
  std::unique_lock lock(mutex_);
  const size_t nodes = job.nodes();
  changed_.wait(lock, [&] { return jobs_.size() < 2 * forms_.size() || nodes_ + nodes <= kMostNodes; });
  nodes_ += nodes;
  jobs_.push_back({form, std::move(job)});
  changed_.notify_all();
  if (threads_.empty()) DoOne(lock);
}

std::optional<Diagnostic> DumpWriter::Wait() {
  std::unique_lock lock(mutex_);
  while (!jobs_.empty() || in_hand_ > 0) CanDo() ? DoOne(lock) : changed_.wait(lock);
  return std::exchange(fault_, std::nullopt);
}

void DumpWriter::Run() {
  GiveWay();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return (done_ && jobs_.empty()) || CanDo(); });
    if (jobs_.empty()) return;
    DoOne(lock);
  }
}

// The oldest of a form that nobody is writing.
std::deque<DumpWriter::Waiting>::const_iterator DumpWriter::NextJob() const {
  return std::find_if(jobs_.begin(), jobs_.end(), [&](const Waiting& job) { return !forms_[job.form].in_hand; });
}

// The lock is held before and after.
void DumpWriter::DoOne(std::unique_lock<std::mutex>& lock) {
  const auto at = jobs_.begin() + (NextJob() - jobs_.begin());
  Form& form = forms_[at->form];
  FormFiles::Job job = std::move(at->job);
  jobs_.erase(at);
  form.in_hand = true;
  ++in_hand_;
  lock.unlock();
  std::optional<Diagnostic> fault;
  try {
    if (!failed_) form.files.Write(job);
  } catch (const Error& error) {
    fault = error.diagnostic();
  } catch (const std::exception& error) {
    fault = Error::Internal(error.what()).diagnostic();
  }
  const size_t nodes = job.nodes();
  job = {};
  lock.lock();
  if (fault) {
    if (!failed_) fault_ = std::move(fault);
    failed_ = true;
  }
  form.in_hand = false;
  --in_hand_;
  nodes_ -= nodes;
  changed_.notify_all();
}

}  // namespace atc
