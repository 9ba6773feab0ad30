// Writes the files of dumps, stage after stage, beside the conversion.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "compiler/dump/form_files.h"
#include "compiler/ir/error.h"

namespace atc {

// The files of one form are written one after the other, those of several forms side by side where there are cores for it:
// a thread beside each core but one, which is the conversion's. The threads give way to the conversion, which does not wait
// for them but at the end, and then does what is left itself. Few stages wait at a time, so that few snapshots are in
// memory.
class DumpWriter {
 public:
  explicit DumpWriter(std::vector<FormFiles> forms);
  // Waits for the files.
  ~DumpWriter();

  // `form`: its place among those that the writer was made for. Writes it at once where the process can have no thread.
  void Give(size_t form, FormFiles::Job job);
  // Returns when all files are there; the first fault, once.
  std::optional<Diagnostic> Wait();
  // Nothing more is written then.
  bool failed() const { return failed_; }

 private:
  struct Form {
    FormFiles files;       // of whoever has a job in hand
    bool in_hand = false;
  };
  struct Waiting {
    size_t form;
    FormFiles::Job job;
  };

  void Run();
  bool CanDo() const { return NextJob() != jobs_.end(); }
  std::deque<Waiting>::const_iterator NextJob() const;
  void DoOne(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Form> forms_;
  std::deque<Waiting> jobs_;  // nobody has these in hand
  size_t in_hand_ = 0;
  size_t nodes_ = 0;  // in those that wait or are in hand
  bool done_ = false;
  std::optional<Diagnostic> fault_;
  std::atomic<bool> failed_ = false;
  std::vector<std::thread> threads_;  // last: they use the rest
};

}  // namespace atc
