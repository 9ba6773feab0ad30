// Measures what the cores can do at most: fused multiply-adds, products of bytes, and bytes read from each level of memory.
//
// usage: bench_roofline THREADS
//
// One line each: "flops N" (operations a second, two for each multiply-add), "byteops N" (the same of 8-bit numbers, summed
// in 32 bits, where the processor has an instruction for it) and "read BYTES N" (bytes a second, each of
// the threads reading so many bytes of its own again and again). The best of several tries, in the widest vectors that
// the processor has.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "test/bench/roofline.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/kernels/byte_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// So many vectors' multiply-adds that do not wait for each other; operations made.
double MultiplyAdd(int rounds) {
  const hn::ScalableTag<float> d;
  constexpr int kChains = 12;
  hn::Vec<decltype(d)> sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = hn::Set(d, 1.0f + static_cast<float>(i));
  const auto factor = hn::Set(d, 0.999f);
  for (int round = 0; round < rounds; ++round) {
    for (auto& sum : sums) sum = hn::MulAdd(sum, factor, factor);
  }
  volatile float kept = 0;
  for (const auto& sum : sums) kept = kept + hn::GetLane(sum);
  return 2.0 * rounds * kChains * static_cast<double>(hn::Lanes(d));
}

// Likewise of bytes; 0 without an instruction that adds their products four at a time.
double MultiplyBytes(int rounds) {
#if HWY_TARGET == HWY_AVX3
  const hn::ScalableTag<int32_t> d;
  constexpr int kChains = 12;
  hn::Vec<decltype(d)> sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = hn::Set(d, i);
  const auto factor = hn::Set(d, 0x01010101);
  for (int round = 0; round < rounds; ++round) {
    for (auto& sum : sums) sum = kernels::HWY_NAMESPACE::AddQuads(sum, factor, factor);
  }
  volatile int32_t kept = 0;
  for (const auto& sum : sums) kept = kept + hn::GetLane(sum);
  return 2.0 * rounds * kChains * 4 * static_cast<double>(hn::Lanes(d));
#else
  (void)rounds;
  return 0;
#endif
}

void Read(const float* data, size_t count) {
  const hn::ScalableTag<float> d;
  const size_t step = hn::Lanes(d);
  auto a = hn::Zero(d), b = a, c = a, e = a;
  for (size_t i = 0; i + 4 * step <= count; i += 4 * step) {
    a = hn::Add(a, hn::LoadU(d, data + i));
    b = hn::Add(b, hn::LoadU(d, data + i + step));
    c = hn::Add(c, hn::LoadU(d, data + i + 2 * step));
    e = hn::Add(e, hn::LoadU(d, data + i + 3 * step));
  }
  volatile float kept = hn::GetLane(hn::Add(hn::Add(a, b), hn::Add(c, e)));
  (void)kept;
}

}  // namespace atc::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::bench {

HWY_EXPORT(MultiplyAdd);
HWY_EXPORT(MultiplyBytes);
HWY_EXPORT(Read);

namespace {

// The least seconds that `work(thread)` takes on all threads at once.
double Seconds(int threads, const std::function<void(int)>& work) {
  double best = 1e9;
  for (int tries = 0; tries < 12; ++tries) {
    std::vector<std::thread> team;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 1; i < threads; ++i) team.emplace_back(work, i);
    work(0);
    for (std::thread& member : team) member.join();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

}  // namespace

int Main(int threads) {
  constexpr int kRounds = 4000000;
  const auto measure = [&](const char* name, const std::function<double(int)>& work) {
    double operations = 0;
    const double seconds = Seconds(threads, [&](int thread) {
      const double made = work(kRounds);
      if (thread == 0) operations = made;
    });
    if (operations > 0) std::printf("%s %.0f\n", name, operations * threads / seconds);
  };
  measure("flops", [](int rounds) { return HWY_DYNAMIC_DISPATCH(MultiplyAdd)(rounds); });
  const bool quads = __builtin_cpu_supports("avx512vnni");
  measure("byteops", [&](int rounds) { return quads ? HWY_DYNAMIC_DISPATCH(MultiplyBytes)(rounds) : 0.0; });
  for (size_t bytes = 16 << 10; bytes <= size_t{64} << 20; bytes *= 4) {
    std::vector<std::vector<float>> data(static_cast<size_t>(threads), std::vector<float>(bytes / sizeof(float), 1.0f));
    const int repeats = static_cast<int>(std::max<size_t>(1, (size_t{64} << 20) / bytes));
    const double took = Seconds(threads, [&](int thread) {
      for (int i = 0; i < repeats; ++i) HWY_DYNAMIC_DISPATCH(Read)(data[static_cast<size_t>(thread)].data(), bytes / sizeof(float));
    });
    std::printf("read %zu %.0f\n", bytes, static_cast<double>(bytes) * repeats * threads / took);
  }
  return 0;
}

}  // namespace atc::bench

int main(int argc, char** argv) { return atc::bench::Main(argc > 1 ? std::max(1, std::atoi(argv[1])) : 1); }
#endif
