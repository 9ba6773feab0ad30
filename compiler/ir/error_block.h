// The text form of diagnostics that atc prints at its end and aclGetRecentErrMsg returns:
//
//   [PID: 4711] 2026-01-31-10:20:30.123.456 Invalid_Argument(E10001): --mode cannot be '9'. ...
//           Possible Cause: ...
//           Solution: ...
//           TraceBack (most recent call last):
//           node 'conv1' (Conv)
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "compiler/ir/error.h"

namespace atc {

// Who speaks and when; given by the caller so that the text is a function of its arguments.
struct MessageStamp {
  int pid = 0;
  std::chrono::system_clock::time_point time;

  static MessageStamp Now();
};

// "2026-01-31-10:20:30.123.456" (milliseconds, microseconds) in local time.
std::string FormatTime(std::chrono::system_clock::time_point time);

// One block, ending in a newline. Inner errors (E?9999), but not warnings, begin with the line
// "E19999: Internal error!".
std::string ErrorBlock(const Diagnostic& diagnostic, const MessageStamp& stamp);

// Blocks of all diagnostics that have this severity, in order; empty when there is none.
std::string ErrorBlocks(std::span<const Diagnostic> diagnostics, Diagnostic::Severity severity,
                        const MessageStamp& stamp);

}  // namespace atc
