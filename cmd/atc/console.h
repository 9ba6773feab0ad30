// What atc says: the lines on stdout that scripts look for, and progress on a terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace atc::cli {

class Console {
 public:
  // Writes to the process's stdout and stderr.
  Console();
  // Writes into `text`, what belongs to stderr too; no terminal.
  explicit Console(std::string* text);
  ~Console();

  // The first line of every run, unless it is `plain`: then stdout holds what Print writes and nothing else, so that
  // other programs can read it, and messages go to stderr.
  void Start(bool plain);
  // The result. `warnings` and `block` are texts of compiler/ir/error_block.h, empty where there is none.
  // `dots`: whether the "..." line comes first; it is absent where the command line could not be read.
  void Success(const std::string& warnings);
  void Failure(const std::string& block, bool dots);
  // What was asked for, between start and result.
  void Print(const std::string& text);
  // E13004 where something that was printed did not reach stdout, but for a reader that has gone, who wants no more.
  void CheckPrinted() const;
  // What a run tells besides; of a plain one on stderr.
  void Tell(const std::string& text);
  // One line for stderr.
  void Complain(const std::string& line);

  // What is being done, on one line of stderr that the next call overwrites; nothing unless stderr is a terminal.
  void Progress(std::string_view step);

 private:
  void EndProgress();
  void Out(std::string_view text);
  void Err(std::string_view text);

  std::string* text_ = nullptr;
  bool terminal_;
  bool plain_ = false;
  bool line_open_ = false;
  int lost_ = 0;  // errno of the first Print that failed
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace atc::cli
