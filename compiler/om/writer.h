// Writes an om.
#pragma once

#include <memory>
#include <string>

#include "compiler/io/byte_sink.h"
#include "compiler/om/external_weights.h"
#include "compiler/om/om_model.h"

namespace atc {

// Header, table, MODEL_INOUT_INFO, MODEL_DEF, WEIGHTS_DATA, TASK_INFO, streamed: of the constants one at a time is in
// memory. The same model gives the same bytes. Offsets of constants are chosen here, Value::offset of a Const is not
// read. In the file WEIGHTS_DATA starts on a multiple of 512, so that a mapped file can be used as it is.
// E13023 (item, size, maxsize) where the graph is larger than the format can say.
// With `external` weights these are written to files beside `om_path` first; they stay where the caller calls Keep of
// what is returned, and are removed with it otherwise. Null without such files.
std::unique_ptr<ExternalWeights> WriteOm(const OmModel& model, ByteSink& out, ExternalWeight external,
                                         const std::string& om_path);
void WriteOm(const OmModel& model, ByteSink& out);

// The same, in memory.
std::string WriteOm(const OmModel& model);

}  // namespace atc
