// Outcome codes of the runtime, numbered as ACL's ACL_ERROR_RT_*, and the calling thread's log of what went wrong.
// Nothing here throws across its interface: every fault is a code, its text is in the log.
#pragma once

#include <cstdint>
#include <string>

namespace atc::runtime {

using Code = int32_t;

inline constexpr Code kOk = 0;
inline constexpr Code kParamInvalid = 107000;
inline constexpr Code kInvalidDevice = 107001;
inline constexpr Code kContextNull = 107002;
inline constexpr Code kStreamContext = 107003;
inline constexpr Code kEventTimestampInvalid = 107006;
inline constexpr Code kEventTimestampReversal = 107007;
inline constexpr Code kStreamSubscribe = 107011;
inline constexpr Code kThreadSubscribe = 107012;
inline constexpr Code kStreamNoCallback = 107015;
inline constexpr Code kInvalidHandle = 107017;
inline constexpr Code kStreamAbort = 107023;
inline constexpr Code kTaskTimeout = 107020;
inline constexpr Code kFeatureNotSupported = 207000;
inline constexpr Code kMemoryAllocation = 207001;
inline constexpr Code kNoEventResource = 207007;
inline constexpr Code kNoStreamResource = 207008;
inline constexpr Code kInternalError = 507000;
inline constexpr Code kLostHeartbeat = 507010;
inline constexpr Code kReportTimeout = 507012;
inline constexpr Code kAiCoreTimeout = 507014;
inline constexpr Code kAiCoreException = 507015;
inline constexpr Code kStreamSyncTimeout = 507046;
inline constexpr Code kEventSyncTimeout = 507047;
inline constexpr Code kDeviceMemoryError = 507053;

// Adds a line to the calling thread's log and returns the code, so that `return Fail(kParamInvalid, "...")` reads well.
Code Fail(Code code, std::string message);

// The calling thread's log, newest line first, at most 32 lines; "" when empty. Reading clears it.
std::string TakeLog();

// The code of the calling thread's last Fail, kOk when there was none or it was forgotten.
Code LastCode();
void ForgetLastCode();

}  // namespace atc::runtime
