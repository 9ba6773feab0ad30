#include "compiler/streams/stream_options.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "compiler/ir/error.h"
#include "compiler/streams/event_reuse.h"

using namespace atc;

namespace {

StreamOptions Read(const std::string& key, const std::string& value) {
  CompileOptions options;
  options.ge_options[key] = value;
  return ReadStreamOptions(options);
}

}  // namespace

TEST_CASE("GE's options for streams are read by their keys") {
  const StreamOptions most = Read("ge.streamMaxParallelNum", "AIcoreEngine:4,DNN_VM_AICPU:2");
  CHECK(most.MaxParallelStreams("AIcoreEngine") == 4);
  CHECK(most.MaxParallelStreams("DNN_VM_AICPU") == 2);
  CHECK(most.MaxParallelStreams("VectorEngine") == 1);
  CHECK(Read("ge.hcomParallel", "1").hcom_parallel);
  CHECK_FALSE(Read("ge.hcomParallel", "0").hcom_parallel);
  CHECK(Read("ge.exec.memoryOptimizationPolicy", "MemoryPriority").memory_priority);
  CHECK_FALSE(Read("ge.exec.memoryOptimizationPolicy", "BalancePriority").memory_priority);
  CHECK(Read("openatc.maxStreamTasks", "1024").max_stream_tasks == 1024);
  CHECK(Read("openatc.maxHugeStreamTasks", "8192").max_huge_stream_tasks == 8192);
  CHECK(Read("openatc.maxEvents", "100").max_events == 100);
  CHECK(StreamOptions().max_events == kEventReuseThreshold);
  CHECK(Read("ge.event", "notify").notify);
  CHECK_FALSE(Read("ge.event", "event").notify);
  CHECK(Read("openatc.maxStreams", "8").max_streams == 8);
  CHECK(Read("ac_parallel_enable", "1").parallel_ai_cpu);
  CHECK(Read("ge.exec.static_model_ops_lower_limit", "-1").least_static_ops == -1);
  CHECK(Read("ge.exec.static_model_ops_lower_limit", "9").least_static_ops == 9);
}

TEST_CASE("values that are none are refused with the key") {
  for (const auto& [key, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"ge.streamMaxParallelNum", "4"},
           {"ge.streamMaxParallelNum", "AIcoreEngine:0"},
           {"ge.streamMaxParallelNum", "AIcoreEngine:2,"},
           {"ge.hcomParallel", "yes"},
           {"ge.exec.memoryOptimizationPolicy", "Memory"},
           {"openatc.maxStreams", "-1"},
           {"openatc.maxEvents", "0"},
           {"ge.event", "signal"},
       }) {
    INFO(key << "=" << value);
    try {
      Read(key, value);
      FAIL("read");
    } catch (const Error& error) {
      CHECK(error.diagnostic().code == "E10001");
    }
  }
}
