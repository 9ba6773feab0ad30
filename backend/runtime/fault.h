// Faults made on purpose, so that programs can be tried against a device that fails: the environment variable ATC_FAULT.
//
//   ATC_FAULT=FAULT[,FAULT...]
//   slow[:NAME][@N]=MS       a kernel takes that many milliseconds more
//   alloc[@N]                an allocation of device memory fails (207001)
//   kernel[:NAME][@N][=CODE] a kernel fails with that code, 507015 unless given
//   lost[:NAME][@N]          at a kernel the device is lost: all that uses it fails (507010) until it is reset
//
// @N is the N-th time, counted from 1 since the device was set; without it, every time. NAME is the kernel's: the name of
// an operator call ("aclnnAdd"), of a launched function, or of a loaded model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/runtime/status.h"

namespace atc::runtime::fault {

enum class Kind { kSlow, kAllocation, kKernel, kLost };

struct Fault {
  Kind kind = Kind::kKernel;
  std::string name;    // of the kernel; empty: any
  uint64_t at = 0;     // which time; 0: every time
  int64_t value = 0;   // milliseconds, or the code
};

// The faults that the text names; false and a sentence in *why where it is not of the form above.
bool Parse(std::string_view text, std::vector<Fault>* faults, std::string* why);

// Reads ATC_FAULT anew and counts from 1 again. kParamInvalid, with a line in the log, where it cannot be read.
Code Load();

// What is to happen at this allocation, and at this kernel before it runs. A slow kernel is slept for here; *lost is set
// when the device goes with it.
Code AtAllocation();
Code AtKernel(std::string_view name, bool* lost);

}  // namespace atc::runtime::fault
