// What a user did wrong, as an exception: a catalogue code, its arguments by name, and what was being done.
// What this code did wrong is an assertion; what may fail in the ordinary way is a return value.
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace atc {

// One message: data that a renderer prints (atc's error block, JSON, ...).
struct Diagnostic {
  enum Severity { kWarning, kError };
  Severity severity = kError;
  std::string code;                                         // "E10016"
  std::vector<std::pair<std::string, std::string>> args;    // catalogue argument name -> value
  std::vector<std::string> context;                         // innermost first: "node 'conv1' (Conv)", "file m.onnx"
  std::string cure;                                         // what to do next; empty: the catalogue's solution
};

class Error : public std::exception {
 public:
  using Args = std::vector<std::pair<std::string, std::string>>;

  Error(std::string code, Args args, std::string cure = "");
  // For messages that have no entry of their own: E19999 with the text as its only argument, "reason".
  static Error Internal(std::string reason) { return Error("E19999", {{"reason", std::move(reason)}}); }

  // Adds where it happened; returns itself, so `throw std::move(error.At("node 'x' (Conv)"))` reads well.
  Error& At(std::string where);

  const Diagnostic& diagnostic() const { return diagnostic_; }
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  Diagnostic diagnostic_;
  std::string what_;  // code and arguments, for logs
};

// Collects what a stage finds; one exception ends the stage.
class Diagnostics {
 public:
  void Add(Diagnostic diagnostic) { all_.push_back(std::move(diagnostic)); }
  void Warn(std::string code, Error::Args args) {
    all_.push_back({Diagnostic::kWarning, std::move(code), std::move(args), {}, {}});
  }
  const std::vector<Diagnostic>& all() const { return all_; }

 private:
  std::vector<Diagnostic> all_;
};

}  // namespace atc
