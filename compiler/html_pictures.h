// Pictures of a compiled model, as SVG inside of a page. They have no size of their own: they fill the width they get.
#pragma once

#include <string>
#include <string_view>

#include "compiler/om/om_model.h"
#include "compiler/stage_report.h"
#include "compiler/streams/predict.h"

namespace atc {

// With what HTML gives a meaning to escaped; bytes that are no UTF-8 become U+FFFD, as pages must be UTF-8.
std::string HtmlText(std::string_view text);

// The seconds of each stage as bars, one below the other.
std::string StageTimesPicture(const StageReport& report);

// A lane for each stream, a box for each task at the time that is predicted for it; waits are red. What would be narrower
// than half a pixel joins its neighbours.
std::string TimelinePicture(const Graph& graph, const PredictedRun& run);

// Feature memory: bytes upwards, tasks in launch order to the right, a box for each buffer from its first to its last
// use. Empty where nothing is placed. Buffers too flat to see are left out, and counted in *left_out.
std::string MemoryPicture(const OmModel& model, size_t* left_out);

}  // namespace atc
