// The files of one form, stage after stage.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "compiler/dump/node_writer.h"
#include "compiler/dump/stage_snapshot.h"
#include "compiler/io/descriptor.h"

namespace atc {

// The file of the job before, held open: another process may give its name to a file of its own.
struct LastFile {
  Descriptor file;
  std::string path;  // as it was named
  uint64_t size = 0;
};

class FormFiles {
 public:
  using WriteFn = void (*)(const StageSnapshot& snapshot, NodeTexts* texts, ByteSink& out);

  struct Job {
    std::shared_ptr<const StageSnapshot> snapshot;  // null: the file holds what the one before holds
    std::shared_ptr<const Graph> graph;             // for forms that are written from it
    std::string path;

    size_t nodes() const { return snapshot ? snapshot->nodes : 0; }
  };

  // `write` null: the form is written from the graph. `remarks_up_to`: the greatest detail at which it has remarks.
  FormFiles(WriteFn write, int remarks_up_to) : write_(write), remarks_up_to_(remarks_up_to) {}

  // What says the same as the file before is that file, under one more name. Errors: those of OutputFile.
  void Write(const Job& job);

 private:
  WriteFn write_;
  int remarks_up_to_;
  NodeTexts texts_;
  LastFile last_;
  std::shared_ptr<const StageSnapshot> snapshot_;  // that it is of
};

}  // namespace atc
