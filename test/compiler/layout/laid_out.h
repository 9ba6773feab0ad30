// The formats of a graph as the compiler leaves them: chosen, with the TransData that remain, and this device's slots.
#pragma once

#include "compiler/layout/choose_formats.h"
#include "compiler/layout/device_slots.h"
#include "compiler/passes/same_transdata_breadth_fusion.h"
#include "compiler/passes/switch_transdata_and_cast.h"
#include "compiler/passes/trans_op_breadth_fusion.h"
#include "compiler/passes/trans_op_symmetry_elimination.h"
#include "test/compiler/pass_fixture.h"

namespace atc::test {

inline void LayOut(PassFixture& f, const FormatOptions& options = {}) {
  ChooseFormats(f.graph, f.journal, options);
  RunPasses(f.graph, f.context,
            {{"TransOpBreadthFusionPass", TransOpBreadthFusionPass},
             {"TransOpSymmetryEliminationPass", TransOpSymmetryEliminationPass},
             {"SwitchTransDataAndCastPass", SwitchTransDataAndCastPass},
             {"SameTransdataBreadthFusionPass", SameTransdataBreadthFusionPass}},
            4);
  ChooseDeviceSlots(f.graph);
}

}  // namespace atc::test
