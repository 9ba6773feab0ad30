// Writes the files of one form, stage after stage, in a thread of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "compiler/dump/node_writer.h"
#include "compiler/dump/stage_snapshot.h"
#include "compiler/io/descriptor.h"
#include "compiler/ir/error.h"

namespace atc {

// The thread gives way to those of the conversion, which do not wait for it but at the end, and then do what is left
// themselves. Few stages wait at a time, so that few snapshots are in memory.
class FormWriter {
 public:
  // Null: the form is written from the graph.
  using WriteFn = void (*)(const StageSnapshot& snapshot, NodeTexts* texts, ByteSink& out);

  struct Job {
    std::shared_ptr<const StageSnapshot> snapshot;  // null: the file holds what the one before holds
    std::shared_ptr<const Graph> graph;             // for forms that are written from it
    std::string path;
  };

  explicit FormWriter(WriteFn write) : write_(write), thread_([this] { Run(); }) {}
  // Waits for the files.
  ~FormWriter();

  void Give(Job job);
  // Returns when all files are there; the first fault, once.
  std::optional<Diagnostic> Wait();
  // Nothing more is written then.
  bool failed() const { return failed_; }

 private:
  void Run();
  void DoOne(std::unique_lock<std::mutex>& lock);
  void Write(const Job& job);

  const WriteFn write_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  size_t waiting_ = 0;    // nodes in them
  bool in_hand_ = false;  // the first of them, by one of the two threads
  bool done_ = false;
  std::optional<Diagnostic> fault_;
  std::atomic<bool> failed_ = false;
  // Of whoever has a job in hand.
  NodeTexts texts_;
  // The file of the job before, held open: another process may give its name to a file of its own.
  Descriptor last_;
  std::shared_ptr<const StageSnapshot> snapshot_;  // that it is of
  std::thread thread_;                             // last: it uses the rest
};

}  // namespace atc
