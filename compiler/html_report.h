// A conversion as one page for a browser: pictures of its stages, its streams and its memory, what moves between
// formats, and what became of each node. The page needs no other file and no network.
#pragma once

#include <string>

#include "compiler/format_report.h"
#include "compiler/pipeline.h"
#include "compiler/precision_report.h"
#include "compiler/stage_report.h"

namespace atc {

// All reports must be finished. Figures of an NPU are marked as predictions.
std::string HtmlReport(const CompileResult& result, const StageReport& stages, const PrecisionReport& precision,
                       const FormatReport& formats);

}  // namespace atc
