#include "backend/runtime/failure.h"
#include "backend/runtime/stream.h"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "backend/runtime/device.h"
#include "backend/runtime/memory.h"
#include "backend/runtime/signal.h"

using namespace atc::runtime;

namespace {

struct Fixture {
  Memory memory{1 << 20};
  Device device{0, memory};
};

}  // namespace

TEST_CASE("tasks of a stream run in order on one thread") {
  Fixture f;
  Stream stream(f.device, 1);
  std::vector<int> order;
  std::vector<std::thread::id> threads;
  for (int i = 0; i < 200; ++i) {
    REQUIRE(stream.Enqueue([&, i](Stream& on) {
      order.push_back(i);
      threads.push_back(std::this_thread::get_id());
      return on.OnOwnThread() ? kOk : kInternalError;
    }) == kOk);
  }
  REQUIRE(stream.Synchronize() == kOk);
  REQUIRE(order.size() == 200);
  for (int i = 0; i < 200; ++i) CHECK(order[i] == i);
  for (const auto& thread : threads) CHECK(thread == threads[0]);
  CHECK(threads[0] != std::this_thread::get_id());
  CHECK(stream.Idle());
}

TEST_CASE("a fault surfaces once, at the next synchronisation") {
  Fixture f;
  Stream stream(f.device, 7);
  int ran = 0;
  stream.Enqueue([](Stream&) { return Fail(507015, "first"); });
  stream.Enqueue([](Stream&) { return Fail(507018, "second"); });
  stream.Enqueue([&](Stream&) { return ++ran, kOk; });
  TakeLog();
  CHECK(stream.Synchronize() == 507015);
  CHECK(ran == 1);
  const std::string log = TakeLog();
  CHECK(log.find("stream 7") != std::string::npos);
  CHECK(log.find("first") != std::string::npos);
  CHECK(log.find("second") == std::string::npos);
  CHECK(stream.Synchronize() == kOk);
}

TEST_CASE("an exception in a task becomes a code") {
  Fixture f;
  Stream stream(f.device, 1);
  stream.Enqueue([](Stream&) -> Code { throw std::runtime_error("thrown"); });
  CHECK(stream.Synchronize() == kInternalError);
  CHECK(TakeLog().find("thrown") != std::string::npos);
  stream.Enqueue([](Stream&) -> Code { throw 1; });
  CHECK(stream.Synchronize() == kInternalError);
}

TEST_CASE("a stream that stops on failure drops what is behind the fault and stays failed") {
  Fixture f;
  Stream stream(f.device, 1);
  stream.SetStopOnFailure(true);
  Signal go;
  int ran = 0;
  Code dropped = kOk;
  stream.Enqueue([&](Stream& on) { return go.Wait(on.stop_token()), Fail(507015, "fault"); });
  stream.Enqueue(Task{[&](Stream&) { return ++ran, kOk; }, [&](Code code) { dropped = code; }});
  go.Set();
  CHECK(stream.Synchronize() == 507015);
  CHECK(ran == 0);
  CHECK(dropped == 507015);
  CHECK(stream.Enqueue([](Stream&) { return kOk; }) == 507015);
  CHECK(stream.Synchronize() == 507015);
}

TEST_CASE("synchronisation with a timeout") {
  Fixture f;
  Stream stream(f.device, 1);
  Signal go;
  stream.Enqueue([&](Stream& on) { return go.Wait(on.stop_token()); });
  CHECK_FALSE(stream.Idle());
  CHECK(stream.Synchronize(1) == kStreamSyncTimeout);
  go.Set();
  CHECK(stream.Synchronize(60000) == kOk);
}

TEST_CASE("closing lets queued work run, or drops it and wakes what waits") {
  Fixture f;
  {
    Stream stream(f.device, 1);
    int ran = 0;
    for (int i = 0; i < 50; ++i) stream.Enqueue([&](Stream&) { return ++ran, kOk; });
    CHECK(stream.Close(false) == kOk);
    CHECK(ran == 50);
    CHECK(stream.Enqueue([](Stream&) { return kOk; }) == kStreamAbort);
    CHECK(stream.Synchronize() == kOk);
  }
  {
    Stream stream(f.device, 2);
    Signal never;
    int ran = 0, dropped = 0;
    stream.Enqueue([&](Stream& on) { return never.Wait(on.stop_token()); });
    for (int i = 0; i < 50; ++i) {
      stream.Enqueue(Task{[&](Stream&) { return ++ran, kOk; }, [&](Code) { ++dropped; }});
    }
    CHECK(stream.Close(true) == kOk);
    CHECK(ran == 0);
    CHECK(dropped == 50);
  }
}

TEST_CASE("a task cannot wait for its own stream or end it") {
  Fixture f;
  Stream stream(f.device, 1);
  Code sync = kOk, close = kOk;
  stream.Enqueue([&](Stream& on) {
    sync = on.Synchronize();
    close = on.Close(false);
    return kOk;
  });
  CHECK(stream.Synchronize() == kOk);
  CHECK(sync == kFeatureNotSupported);
  CHECK(close == kFeatureNotSupported);
}

TEST_CASE("the failure listener hears of each failed task") {
  Fixture f;
  std::vector<TaskFailure> heard;
  SetFailureListener([&](const TaskFailure& failure) { heard.push_back(failure); });
  Stream stream(f.device, 9);
  stream.Enqueue([](Stream&) { return kOk; });
  stream.Enqueue([](Stream&) { return Fail(507015, "fault"); });
  CHECK(stream.Synchronize() == 507015);
  SetFailureListener({});
  stream.Enqueue([](Stream&) { return Fail(507015, "fault"); });
  CHECK(stream.Synchronize() == 507015);
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].stream_id == 9);
  CHECK(heard[0].task_id == 2);
  CHECK(heard[0].device_id == 0);
  CHECK(heard[0].thread_id != 0);
  CHECK(heard[0].code == 507015);
}

TEST_CASE("many threads queue and synchronise at once") {
  Fixture f;
  Stream stream(f.device, 1);
  int count = 0;  // touched on the stream's thread alone
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        stream.Enqueue([&](Stream&) { return ++count, kOk; });
        if (i % 10 == 0) stream.Synchronize();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(stream.Synchronize() == kOk);
  CHECK(count == 400);
}
