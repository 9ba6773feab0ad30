// Reads an om that this project wrote.
#pragma once

#include <string>

#include "compiler/om/om_model.h"

namespace atc {

struct ReadOptions {
  // Reads all weights once to compare their checksum with the file's.
  bool check_weights = true;
  // Where the om lies, for weights in files beside it; set where it is read by its path.
  std::string path = {};
  // Gives each use of an event a number of its own, see reused_events.h.
  bool tell_reused_events_apart = true;
  // Nodes get the rules by which they were placed.
  bool reasons = true;
};

// The model as it was written: WriteOm of it gives the same bytes, unless events were told apart. Node ids are the OpDef ids of the file less the
// first id of their graph, in topological order. Constants are windows of the mapped file, 512-aligned in it; the
// mapping lives as long as any of them.
// Nothing in the file is trusted: lengths, offsets, indices, names and wiring are checked, and the graph is verified.
// Errors: E10041 (parameter: the file; reason: byte offset, what is there, what was expected) for damaged files and for
// those of other makers; E10501 (opname, optype) for an operator that this version does not know; E13001, E13003.
OmModel ReadOm(const std::string& path, const ReadOptions& options = {});

// From memory, `name` standing for the file in messages. Where the memory is not 64-aligned, constants are copied.
OmModel ReadOm(const Buffer& file, const std::string& name, const ReadOptions& options = {});

// Whether the om at `path` is one that this project wrote, by the mark in its description; nothing else of it is read.
// Errors: E10041 for what is no om, E13001.
bool IsOwnOm(const std::string& path);

}  // namespace atc
