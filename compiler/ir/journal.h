// The rewrite journal: every rewrite is an entry; optional ones are numbered and can be cut off after the N-th, so that
// a wrong one is found by bisection. Required ones (Cast, TransData, NetOutput) always run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// The attribute of a node that lists the passes which must leave it alone.
inline constexpr char kDisabledPassesAttr[] = "_disabled_passes";

class Journal {
 public:
  struct Entry {
    std::string stage;
    std::string pass;
    std::string pattern;
    int64_t number = -1;  // of an optional rewrite, from 0; -1: required
    std::vector<std::string> before;
    std::vector<std::string> after;
  };

  // How often a pass found what it looks for, and how often it then rewrote it.
  struct Counts {
    int64_t matches = 0;
    int64_t effects = 0;
  };

  // Optional rewrites from this number on are refused; INT64_MAX refuses none.
  void set_limit(int64_t limit) { limit_ = limit; }
  // A stage begins outside of any pass.
  void EnterStage(std::string stage) {
    stage_ = std::move(stage);
    pass_.clear();
  }
  void EnterPass(std::string pass) { pass_ = std::move(pass); }

  // Asked before an optional rewrite is made: false means that it must not be, because the limit is reached or one of
  // the nodes forbids the pass.
  bool Allow(std::string_view pattern, const std::vector<const Node*>& before);
  // Notes a required rewrite.
  void Require(std::string_view pattern, const std::vector<const Node*>& before);
  // Adds a node to what the latest entry made.
  void Made(const Node& node);
  // Of nodes that a pass has added to `graph` from id `first` on without telling of them (constants, mostly): each goes
  // to the entry, of those from `since` on, that knows a node which reads it or which it reads, else to the last one.
  void MadeAlong(const Graph& graph, NodeId first, size_t since);

  // A journal for rewrites of a copy, which allows as many of them as this one would.
  Journal ForTrial() const;

  const std::vector<Entry>& entries() const { return entries_; }
  // By pass; passes that found nothing are absent, and so is what belongs to no pass (Casts, TransData).
  const std::map<std::string, Counts>& counts() const { return counts_; }
  int64_t num_optional() const { return next_number_; }

 private:
  void Count(bool effect);
  void Append(std::string_view pattern, int64_t number, const std::vector<const Node*>& before);

  std::vector<Entry> entries_;
  std::map<std::string, Counts> counts_;
  std::string stage_;
  std::string pass_;
  int64_t next_number_ = 0;
  int64_t limit_ = INT64_MAX;
};

}  // namespace atc
