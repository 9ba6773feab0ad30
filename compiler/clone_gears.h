// The step by which a model becomes one of several gears.
#pragma once

#include "compiler/ir/gear_kind.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"
#include "compiler/ir/options.h"

namespace atc {

// The gears that options ask for by ge.dynamicBatchSize, ge.dynamicImageSize or ge.dynamicDims.
struct GearOptions {
  GearKind kind = GearKind::kNone;
  // One a gear, all of one length: the batch; height and width; or a size for each -1 of CompileOptions::input_shapes, in
  // their order.
  std::vector<std::vector<int64_t>> sizes;
};

// Reads them, which were checked before as far as that needs no model (the command line is, by cmd/atc/gears.h).
GearOptions GearOptionsOf(const CompileOptions& options);

// Shapes of the inputs of a model, not yet copied, under each gear, by gear and input. Throws Error E10001 where the inputs
// have more or fewer open dims than a gear has sizes.
std::vector<std::vector<Shape>> SourceGearShapes(const Graph& source, const CompileOptions& options);

// Makes of `root`, whose NetOutput is there, what compiler/ir/gears.h describes: its Data nodes and its NetOutput stay, all
// else moves into a copy for each gear of the options. The open dims of the inputs take the sizes of the gears in the
// order of `options.input_shapes`. Nothing where no gears are asked for. Throws as SourceGearShapes does.
void CloneGears(Graph& root, const CompileOptions& options, Journal& journal);

// Marks the nodes of the copies by their gear, once passes no longer compare them, those that passes have made in their
// names too. False where there are none.
bool AddGearLabels(Graph& root);

}  // namespace atc
