// OM2 packages: zip archives that the vendor's --mode=7 writes.
#pragma once

#include <string>

#include "compiler/io/byte_sink.h"

namespace atc::cli {

// Whether the file begins as one.
bool IsOm2(const std::string& path);

// Writes the graph that the package holds for viewers, which is JSON already: data/model_<i>/debug/ge_visual_*.json of the
// first model that has one. Throws E10041 for an archive that is damaged or has none.
void WriteOm2Json(const std::string& path, ByteSink& out);

}  // namespace atc::cli
