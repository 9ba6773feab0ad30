#include "compiler/dump/dumper.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "compiler/dump/forms.h"
#include "compiler/dump/stage_snapshot.h"
#include "compiler/io/mapped_file.h"
#include "compiler/io/output_file.h"

namespace atc {
namespace {

struct Form {
  std::string_view option;  // in DUMP_GRAPH_FORMAT
  std::string_view prefix;
  std::string_view suffix;
  bool by_default;
  void (*write)(const StageSnapshot& snapshot, NodeTexts* texts, ByteSink& out);  // null: from a copy of the graph
};

constexpr Form kForms[] = {
    {"ge_proto", "ge_proto", ".txt", true, WriteProtoText},
    {"onnx", "ge_onnx", ".pbtxt", true, WriteOnnxText},
    {"readable", "ge_readable", ".txt", false, nullptr},
};
constexpr size_t kNumForms = std::size(kForms);

// One for each form: numbers run through the process, whatever it converts.
std::atomic<unsigned> counters[kNumForms];

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

unsigned ParseForms(const std::string& option) {
  unsigned chosen = 0;
  unsigned by_default = 0;
  const std::string text = "|" + Lower(option) + "|";
  for (size_t i = 0; i < kNumForms; ++i) {
    if (text.find("|" + std::string(kForms[i].option) + "|") != std::string::npos) chosen |= 1u << i;
    if (kForms[i].by_default) by_default |= 1u << i;
  }
  return chosen != 0 ? chosen : by_default;
}

// Characters that a file name cannot hold on some system or other.
std::string Escape(std::string_view stage) {
  std::string text(stage);
  for (char& c : text) {
    if (std::string_view("/\\:*?\"<>|").find(c) != std::string_view::npos) c = '_';
  }
  return text;
}

// File systems take names of up to 255 bytes; a longer one is cut as GE cuts it.
std::string FileName(const Form& form, unsigned number, bool single_op, int graph_id, std::string_view stage) {
  constexpr size_t kTooLong = 255;
  constexpr size_t kKept = 248;
  std::string name = fmt::format("{}_{:08}{}_graph_{}_{}", form.prefix, number, single_op ? "_aclop" : "", graph_id,
                                 Escape(stage));
  if (name.size() + form.suffix.size() >= kTooLong) name.resize(kKept);
  return name.append(form.suffix);
}

constexpr unsigned kMode = 0600;

void WriteWhole(const std::string& path, const char* data, size_t size) {
  OutputFile file(path, kMode);
  file.Write(data, size);
  file.Commit();
}

// Gives the file a second name: files of dumps are written once. Where the file system has no such names, or another file has
// the name, a copy.
void SameFile(const std::string& from, const std::string& to) {
  if (link(from.c_str(), to.c_str()) == 0) return;
  const Buffer all = MapFile(from);
  WriteWhole(to, reinterpret_cast<const char*>(all.data), all.size);
}

// A file that is the one before as long as it holds the same: only from the first difference on it is written.
class FileLikeBefore : public ByteSink {
 public:
  // `before`: empty where there is none.
  FileLikeBefore(std::string before, std::string path) : before_path_(std::move(before)), path_(std::move(path)) {
    before_path_.empty() ? Begin() : static_cast<void>(before_ = MapFile(before_path_));
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
    if (!file_ && same_ == before_.size) return SameFile(before_path_, path_);
    if (!file_) Begin();
    file_->Commit();
  }

 private:
  void Begin() {
    file_.emplace(path_, kMode);
    if (same_ > 0) file_->Write(before_.data, same_);
  }

  std::string before_path_;
  std::string path_;
  Buffer before_;
  size_t same_ = 0;
  std::optional<OutputFile> file_;
};

bool MakeFolder(const std::string& folder) {
  try {
    MakeParentFolders(folder);
  } catch (const Error&) {
    return false;
  }
  return access(folder.c_str(), W_OK | X_OK) == 0;
}

// The first that is asked for; where it cannot be made, the working directory.
std::string ChooseFolder(const DumpEnvironment& environment) {
  std::string folder;
  if (!environment.npu_collect_path.empty()) {
    folder =
        fmt::format("{}/extra-info/graph/{}_{}/", environment.npu_collect_path, environment.pid, environment.device_id);
  } else if (!environment.dump_graph_path.empty()) {
    folder = fmt::format("{}/pid_{}_deviceid_{}/", environment.dump_graph_path, environment.pid, environment.device_id);
  } else if (!environment.ascend_work_path.empty()) {
    folder = environment.ascend_work_path + "/";
  }
  return !folder.empty() && MakeFolder(folder) ? folder : "./";
}

}  // namespace

DumpEnvironment DumpEnvironment::OfProcess() {
  DumpEnvironment environment;
  environment.dump_ge_graph = Variable("DUMP_GE_GRAPH");
  environment.dump_graph_level = Variable("DUMP_GRAPH_LEVEL");
  environment.dump_graph_format = Variable("DUMP_GRAPH_FORMAT");
  environment.dump_graph_path = Variable("DUMP_GRAPH_PATH");
  environment.npu_collect_path = Variable("NPU_COLLECT_PATH");
  environment.ascend_work_path = Variable("ASCEND_WORK_PATH");
  environment.pid = getpid();
  return environment;
}

// Does what it is given in order, in a thread that gives way to those of the conversion: these do not wait for it but at the
// end, and then do what is left themselves. Few stages wait at a time, so that few snapshots are in memory.
class Dumper::Writer {
 public:
  struct Job {
    bool same = false;                         // the files hold what those of the job before hold
    StageSnapshot snapshot;
    std::unique_ptr<Graph> graph;              // for forms that are written from it
    std::array<std::string, kNumForms> paths;  // by form; empty: not asked for
  };

  Writer() : thread_([this] { Run(); }) {}
  ~Writer() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void Give(Job job) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.size() < 2 || waiting_ + job.snapshot.nodes <= kMostWaiting; });
    waiting_ += job.snapshot.nodes;
    jobs_.push_back(std::move(job));
    changed_.notify_all();
  }

  // Returns when nothing is left to do; the first fault, once.
  std::optional<Diagnostic> Wait() {
    std::unique_lock lock(mutex_);
    while (!jobs_.empty()) in_hand_ ? changed_.wait(lock) : DoOne(lock);
    return std::exchange(fault_, std::nullopt);
  }

  bool failed() const { return failed_; }

  void Fail(Diagnostic diagnostic) {
    const std::lock_guard lock(mutex_);
    fault_ = std::move(diagnostic);
    failed_ = true;
  }

 private:
  // Nodes of the graphs that wait: enough that a conversion of a model of some thousand nodes never waits for its dumps.
  static constexpr size_t kMostWaiting = 100'000;

  void Run() {
    GiveWay();
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return !in_hand_ && (done_ || !jobs_.empty()); });
      if (jobs_.empty()) return;
      DoOne(lock);
    }
  }

  // Where the cores are not enough for all, the conversion goes first.
  static void GiveWay() {
    constexpr int kSteps = 10;
    const auto self = static_cast<id_t>(gettid());
    setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + kSteps);
  }

  // The job in hand stays in the queue until it is done. The lock is held before and after.
  void DoOne(std::unique_lock<std::mutex>& lock) {
    in_hand_ = true;
    Job& job = jobs_.front();
    lock.unlock();
    if (!failed_) Write(job);
    job.graph.reset();
    const size_t nodes = job.snapshot.nodes;
    if (!job.same) snapshot_ = std::move(job.snapshot);
    snapshot_.prototypes.clear();
    lock.lock();
    in_hand_ = false;
    waiting_ -= nodes;
    jobs_.pop_front();
    changed_.notify_all();
  }

  void Write(const Job& job) {
    try {
      const bool same = job.same || (!job.graph && job.snapshot.SaysAsMuchAs(snapshot_));
      for (size_t i = 0; i < kNumForms; ++i) {
        if (job.paths[i].empty()) continue;
        if (same) {
          SameFile(last_[i], job.paths[i]);
        } else {
          FileLikeBefore file(last_[i], job.paths[i]);
          if (kForms[i].write != nullptr) {
            kForms[i].write(job.snapshot, &texts_[i], file);
          } else {
            WriteReadableText(GraphList(*job.graph), job.snapshot.detail, file);
          }
          file.Commit();
        }
        last_[i] = job.paths[i];
      }
    } catch (const Error& error) {
      Fail(error.diagnostic());
    } catch (const std::exception& error) {
      Fail(Error::Internal(error.what()).diagnostic());
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  size_t waiting_ = 0;  // nodes in them
  std::optional<Diagnostic> fault_;
  std::atomic<bool> failed_ = false;
  bool in_hand_ = false;  // by one of the two threads
  bool done_ = false;
  std::array<std::string, kNumForms> last_;  // files of the last job
  StageSnapshot snapshot_;                   // that they are of
  std::array<NodeTexts, kNumForms> texts_;
  std::thread thread_;                       // last: it uses the rest
};

Dumper::Dumper(DumpEnvironment environment, Diagnostics* diagnostics)
    : environment_(std::move(environment)), filter_(environment_.dump_graph_level), diagnostics_(diagnostics) {
  const std::string& detail = environment_.dump_ge_graph;
  if (detail.size() == 1 && detail[0] >= '1' && detail[0] <= '3') detail_ = detail[0] - '0';
  forms_ = ParseForms(environment_.dump_graph_format);
}

Dumper::~Dumper() { Wait(); }

bool Dumper::Wants(std::string_view stage) const { return detail_ != 0 && !stage.empty() && filter_.Wants(stage); }

void Dumper::Dump(std::string_view stage, const Graph& graph, bool changed, int graph_id) {
  same_ = same_ && !changed;
  if (!Wants(stage)) return;
  if (writer_ && writer_->failed()) return Wait();
  if (folder_.empty()) folder_ = ChooseFolder(environment_);
  if (!writer_) {
    writer_ = std::make_unique<Writer>();
    taker_ = std::make_unique<SnapshotTaker>(detail_);
  }
  const auto asked = [&](size_t form) { return (forms_ & 1u << form) != 0; };
  Writer::Job job;
  job.same = same_;
  if (!same_) {
    try {
      job.snapshot = taker_->Take(GraphList(graph));
    } catch (const Error& error) {
      return writer_->Fail(error.diagnostic());
    }
    for (size_t i = 0; i < kNumForms; ++i) {
      if (asked(i) && kForms[i].write == nullptr && !job.graph) job.graph = graph.Clone();
    }
  }
  for (size_t i = 0; i < kNumForms; ++i) {
    if (asked(i)) job.paths[i] = folder_ + FileName(kForms[i], counters[i]++, environment_.single_op, graph_id, stage);
  }
  writer_->Give(std::move(job));
  same_ = true;
}

void Dumper::Wait() {
  if (!writer_) return;
  const std::optional<Diagnostic> fault = writer_->Wait();
  if (!fault) return;
  detail_ = 0;
  if (diagnostics_ == nullptr) return;
  Diagnostic warning = *fault;
  warning.severity = Diagnostic::kWarning;
  diagnostics_->Add(std::move(warning));
}

}  // namespace atc
