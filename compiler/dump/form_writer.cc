#include "compiler/dump/form_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "compiler/dump/forms.h"
#include "compiler/io/mapped_file.h"
#include "compiler/io/output_file.h"

namespace atc {
namespace {

// Nodes of the stages that wait: enough that a conversion of a model of some thousand nodes never waits for its dumps.
constexpr size_t kMostWaiting = 100'000;

constexpr unsigned kMode = 0600;

// Gives the open file another name: files of dumps are written once. Where the file system has no such names, another file has
// the name, or this one has lost its own, a copy.
void SameFile(const Descriptor& from, const std::string& to) {
  const std::string open_file = fmt::format("/proc/self/fd/{}", from.fd());
  if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
  const Buffer all = MapFile(from, to);
  OutputFile file(to, kMode);
  file.Write(all.data, all.size);
  file.Commit();
}

// A file that is the one before as long as it holds the same: only from the first difference on it is written.
class FileLikeBefore : public ByteSink {
 public:
  // `last`: the file before, or none; Commit makes it this one.
  FileLikeBefore(Descriptor* last, std::string path) : last_(last), path_(std::move(path)) {
    last_->fd() < 0 ? Begin() : static_cast<void>(before_ = MapFile(*last_, path_));
  }

  using ByteSink::Write;
  void Write(const void* data, size_t size) override {
    if (!file_) {
      if (size <= before_.size - same_ && std::memcmp(before_.data + same_, data, size) == 0) {
        same_ += size;
        return;
      }
      Begin();
    }
    file_->Write(data, size);
  }
  void Commit() {
    if (!file_ && same_ == before_.size) return SameFile(*last_, path_);
    if (!file_) Begin();
    *last_ = file_->CommitOpen();
  }

 private:
  void Begin() {
    file_.emplace(path_, kMode);
    if (same_ > 0) file_->Write(before_.data, same_);
  }

  Descriptor* last_;
  std::string path_;
  Buffer before_;
  size_t same_ = 0;
  std::optional<OutputFile> file_;
};

// Where the cores are not enough for all, the conversion goes first.
void GiveWay() {
  constexpr int kSteps = 10;
  const auto self = static_cast<id_t>(gettid());
  setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + kSteps);
}

size_t Nodes(const FormWriter::Job& job) { return job.snapshot ? job.snapshot->nodes : 0; }

}  // namespace

FormWriter::~FormWriter() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void FormWriter::Give(Job job) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return jobs_.size() < 2 || waiting_ + Nodes(job) <= kMostWaiting; });
  waiting_ += Nodes(job);
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

std::optional<Diagnostic> FormWriter::Wait() {
  std::unique_lock lock(mutex_);
  while (!jobs_.empty()) in_hand_ ? changed_.wait(lock) : DoOne(lock);
  return std::exchange(fault_, std::nullopt);
}

void FormWriter::Run() {
  GiveWay();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !in_hand_ && (done_ || !jobs_.empty()); });
    if (jobs_.empty()) return;
    DoOne(lock);
  }
}

// The job in hand stays in the queue until it is done. The lock is held before and after.
void FormWriter::DoOne(std::unique_lock<std::mutex>& lock) {
  in_hand_ = true;
  Job job = jobs_.front();
  lock.unlock();
  std::optional<Diagnostic> fault;
  try {
    if (!failed_) Write(job);
  } catch (const Error& error) {
    fault = error.diagnostic();
  } catch (const std::exception& error) {
    fault = Error::Internal(error.what()).diagnostic();
  }
  const size_t nodes = Nodes(job);
  job = {};
  lock.lock();
  if (fault) {
    fault_ = std::move(fault);
    failed_ = true;
  }
  in_hand_ = false;
  waiting_ -= nodes;
  jobs_.pop_front();
  changed_.notify_all();
}

void FormWriter::Write(const Job& job) {
  if (!job.snapshot || (write_ != nullptr && snapshot_ && job.snapshot->SaysAsMuchAs(*snapshot_))) {
    SameFile(last_, job.path);
  } else {
    FileLikeBefore file(&last_, job.path);
    write_ != nullptr ? write_(*job.snapshot, &texts_, file)
                      : WriteReadableText(GraphList(*job.graph), job.snapshot->detail, file);
    file.Commit();
    snapshot_ = job.snapshot;
  }
}

}  // namespace atc
