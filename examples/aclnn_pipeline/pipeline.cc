// The same operator calls in three ways: one after the other, overlapping over streams, and with executors that are kept.
//
// usage: pipeline [calls] [streams]
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_addmm.h"

namespace {

using Clock = std::chrono::steady_clock;
constexpr int64_t kSize = 128;
constexpr size_t kBytes = kSize * kSize * sizeof(float);

void Check(int code, const char* what) {
  if (code == 0) return;
  const char* why = aclGetRecentErrMsg();
  std::fprintf(stderr, "[ERROR] %s failed with %d: %s\n", what, code, why == nullptr ? "" : why);
  std::exit(1);
}

// Memory that calls share: taken by the host, given back by a host function when the stream has passed the call. Host
// functions must not allocate or free device memory themselves, so that what comes back is kept.
class WorkspacePool {
 public:
  ~WorkspacePool() {
    for (const Block& block : free_) aclrtFree(block.address);
  }
  void* Take(uint64_t bytes) {
    if (bytes == 0) return nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (size_t i = 0; i < free_.size(); ++i) {
        if (free_[i].bytes < bytes) continue;
        void* address = free_[i].address;
        free_.erase(free_.begin() + static_cast<long>(i));
        return address;
      }
    }
    void* address = nullptr;
    Check(aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    return address;
  }
  void Give(void* address, uint64_t bytes) {
    if (address == nullptr) return;
    std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back({address, bytes});
  }

 private:
  struct Block {
    void* address;
    uint64_t bytes;
  };
  std::mutex mutex_;
  std::vector<Block> free_;
};

// out = self + a b, each of its own memory.
struct Call {
  aclTensor* self;
  aclTensor* a;
  aclTensor* b;
  aclTensor* out;
  void* addresses[4];
  // Of the run that is under way.
  WorkspacePool* pool = nullptr;
  void* workspace = nullptr;
  uint64_t workspace_size = 0;
  Clock::time_point begun;
  Clock::time_point ended;
};

aclTensor* MakeTensor(void** address, float value) {
  const int64_t dims[] = {kSize, kSize};
  const std::vector<float> host(kSize * kSize, value);
  Check(aclrtMalloc(address, kBytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  Check(aclrtMemcpy(*address, kBytes, host.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
  return aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 2, *address);
}

aclOpExecutor* Phase1(Call& call, const aclScalar* alpha) {
  aclOpExecutor* executor = nullptr;
  Check(aclnnAddmmGetWorkspaceSize(call.self, call.a, call.b, alpha, alpha, call.out, 1, &call.workspace_size, &executor), "phase 1");
  return executor;
}

// Runs when the stream comes to it: the call is over.
void Finish(void* argument) {
  Call& call = *static_cast<Call*>(argument);
  call.ended = Clock::now();
  call.pool->Give(call.workspace, call.workspace_size);
}

struct Result {
  double seconds;
  double cpu_seconds;
  std::vector<double> latencies;  // in microseconds
};

double CpuSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template <class Body>
Result Measure(std::vector<Call>& calls, Body&& body) {
  Result result{};
  const auto start = Clock::now();
  const double cpu = CpuSeconds();
  body();
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  result.cpu_seconds = CpuSeconds() - cpu;
  for (const Call& call : calls) result.latencies.push_back(std::chrono::duration<double, std::micro>(call.ended - call.begun).count());
  std::sort(result.latencies.begin(), result.latencies.end());
  return result;
}

// Phase 1, memory, phase 2, wait, free: nothing overlaps.
void OneByOne(std::vector<Call>& calls, const aclScalar* alpha, aclrtStream stream) {
  for (Call& call : calls) {
    call.begun = Clock::now();
    aclOpExecutor* executor = Phase1(call, alpha);
    void* workspace = nullptr;
    if (call.workspace_size > 0) Check(aclrtMalloc(&workspace, call.workspace_size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    Check(aclnnAddmm(workspace, call.workspace_size, executor, stream), "phase 2");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    if (workspace != nullptr) aclrtFree(workspace);
    call.ended = Clock::now();
  }
}

// The host is at the next call's phase 1 while streams are at work on earlier ones.
void Overlapping(std::vector<Call>& calls, const aclScalar* alpha, const std::vector<aclrtStream>& streams, WorkspacePool& pool) {
  for (size_t i = 0; i < calls.size(); ++i) {
    Call& call = calls[i];
    aclrtStream stream = streams[i % streams.size()];
    call.begun = Clock::now();
    aclOpExecutor* executor = Phase1(call, alpha);
    call.pool = &pool;
    call.workspace = pool.Take(call.workspace_size);
    Check(aclnnAddmm(call.workspace, call.workspace_size, executor, stream), "phase 2");
    Check(aclrtLaunchHostFunc(stream, Finish, &call), "aclrtLaunchHostFunc");
  }
  for (aclrtStream stream : streams) Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

// One executor for each stream, made once; each call only sets its addresses.
void Kept(std::vector<Call>& calls, const aclScalar* alpha, const std::vector<aclrtStream>& streams, WorkspacePool& pool) {
  std::vector<aclOpExecutor*> executors;
  std::vector<void*> workspaces;
  for (size_t i = 0; i < streams.size(); ++i) {
    executors.push_back(Phase1(calls[0], alpha));
    Check(aclSetAclOpExecutorRepeatable(executors.back()), "aclSetAclOpExecutorRepeatable");
    workspaces.push_back(pool.Take(calls[0].workspace_size));  // calls of one stream follow each other on it
  }
  const uint64_t size = calls[0].workspace_size;
  for (size_t i = 0; i < calls.size(); ++i) {
    Call& call = calls[i];
    const size_t s = i % streams.size();
    call.begun = Clock::now();
    const aclTensor* const inputs[] = {call.self, call.a, call.b};
    for (size_t k = 0; k < 3; ++k) {
      Check(aclSetInputTensorAddr(executors[s], k, const_cast<aclTensor*>(inputs[k]), call.addresses[k]), "aclSetInputTensorAddr");
    }
    Check(aclSetOutputTensorAddr(executors[s], 0, call.out, call.addresses[3]), "aclSetOutputTensorAddr");
    Check(aclnnAddmm(workspaces[s], size, executors[s], streams[s]), "phase 2");
    call.pool = &pool;
    call.workspace = nullptr;
    Check(aclrtLaunchHostFunc(streams[s], Finish, &call), "aclrtLaunchHostFunc");
  }
  for (size_t s = 0; s < streams.size(); ++s) {
    Check(aclrtSynchronizeStream(streams[s]), "aclrtSynchronizeStream");
    Check(aclDestroyAclOpExecutor(executors[s]), "aclDestroyAclOpExecutor");
    pool.Give(workspaces[s], size);
  }
}

void Print(const char* way, const Result& result) {
  const auto& l = result.latencies;
  const double p99 = l[std::min(l.size() - 1, l.size() * 99 / 100)];
  std::printf("%-12s %12.0f %14.1f %14.1f %10.0f\n", way, static_cast<double>(l.size()) / result.seconds, l[l.size() / 2], p99,
              100 * result.cpu_seconds / result.seconds);
}

// self + a b of constant matrices: 1 + 128 * 2 * 0.5 = 129 everywhere.
void CheckResults(const std::vector<Call>& calls) {
  std::vector<float> host(kSize * kSize);
  for (const Call& call : calls) {
    Check(aclrtMemcpy(host.data(), kBytes, call.addresses[3], kBytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
    for (const float value : host) {
      if (value == 129.0f) continue;
      std::fprintf(stderr, "[ERROR] a result is %g, not 129\n", value);
      std::exit(1);
    }
    Check(aclrtMemset(call.addresses[3], kBytes, 0, kBytes), "aclrtMemset");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 400;
  const int num_streams = argc > 2 ? std::atoi(argv[2]) : 2;
  if (count < 1 || num_streams < 1) {
    std::fprintf(stderr, "usage: pipeline [calls] [streams]\n");
    return 1;
  }
  Check(aclInit(nullptr), "aclInit");
  Check(aclrtSetDevice(0), "aclrtSetDevice");
  {
    std::vector<Call> calls(static_cast<size_t>(count));
    for (Call& call : calls) {
      call.self = MakeTensor(&call.addresses[0], 1.0f);
      call.a = MakeTensor(&call.addresses[1], 2.0f);
      call.b = MakeTensor(&call.addresses[2], 0.5f);
      call.out = MakeTensor(&call.addresses[3], 0.0f);
    }
    float one = 1;
    aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
    std::vector<aclrtStream> streams(static_cast<size_t>(num_streams));
    for (aclrtStream& stream : streams) Check(aclrtCreateStream(&stream), "aclrtCreateStream");
    WorkspacePool pool;
    OneByOne(calls, alpha, streams[0]);  // so that no way pays for what is made once
    CheckResults(calls);
    std::printf("%-12s %12s %14s %14s %10s\n", "way", "calls/s", "median us", "P99 us", "CPU %");
    Print("one by one", Measure(calls, [&] { OneByOne(calls, alpha, streams[0]); }));
    CheckResults(calls);
    Print("overlapping", Measure(calls, [&] { Overlapping(calls, alpha, streams, pool); }));
    CheckResults(calls);
    Print("kept", Measure(calls, [&] { Kept(calls, alpha, streams, pool); }));
    CheckResults(calls);
    for (aclrtStream stream : streams) Check(aclrtDestroyStream(stream), "aclrtDestroyStream");
    aclDestroyScalar(alpha);
    for (const Call& call : calls) {
      for (const aclTensor* tensor : {call.self, call.a, call.b, call.out}) aclDestroyTensor(tensor);
      for (void* address : call.addresses) aclrtFree(address);
    }
  }
  Check(aclrtResetDevice(0), "aclrtResetDevice");
  Check(aclFinalize(), "aclFinalize");
  return 0;
}
