#include "backend/runtime/event.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "backend/runtime/device.h"
#include "backend/runtime/memory.h"
#include "backend/runtime/stream.h"

using namespace atc::runtime;

namespace {

struct Fixture {
  Memory memory{1 << 20};
  Device device{0, memory};
  Stream a{device, 1};
  Stream b{device, 2};
};

}  // namespace

TEST_CASE("a stream waits for what another has queued before the record") {
  Fixture f;
  for (int round = 0; round < 20; ++round) {
    Event event(round, {});
    int value = 0;
    int seen = 0;
    f.a.Enqueue([&](Stream&) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      value = 42;
      return kOk;
    });
    REQUIRE(event.Record(f.a) == kOk);
    REQUIRE(event.Wait(f.b) == kOk);
    f.b.Enqueue([&](Stream&) { return seen = value, kOk; });
    REQUIRE(f.b.Synchronize() == kOk);
    CHECK(seen == 42);
    REQUIRE(f.a.Synchronize() == kOk);
  }
}

TEST_CASE("a wait before the first record waits for it, unless the event is lenient") {
  Fixture f;
  Event strict(1, {});
  Signal waited;
  REQUIRE(strict.Wait(f.b) == kOk);
  f.b.Enqueue([&](Stream&) { return waited.Set(), kOk; });
  CHECK_FALSE(waited.WaitFor(5));
  CHECK_FALSE(strict.Complete());
  REQUIRE(strict.Record(f.a) == kOk);
  CHECK(f.b.Synchronize() == kOk);
  CHECK(strict.Complete());

  Event lenient(2, {.lenient = true});
  CHECK(lenient.Complete());
  CHECK(lenient.Synchronize() == kOk);
  REQUIRE(lenient.Wait(f.b) == kOk);
  CHECK(f.b.Synchronize() == kOk);
}

TEST_CASE("a wait keeps to the record that was in force") {
  Fixture f;
  Event event(1, {});
  Signal go;
  REQUIRE(event.Record(f.a) == kOk);
  REQUIRE(event.Wait(f.b) == kOk);
  f.a.Enqueue([&](Stream& on) { return go.Wait(on.stop_token()); });
  REQUIRE(event.Record(f.a) == kOk);
  CHECK(f.b.Synchronize(60000) == kOk);  // does not depend on the second record
  CHECK_FALSE(event.Complete());
  go.Set();
  CHECK(event.Synchronize() == kOk);
  CHECK(event.Complete());
}

TEST_CASE("reset makes an event unrecorded") {
  Fixture f;
  Event event(1, {});
  REQUIRE(event.Record(f.a) == kOk);
  REQUIRE(event.Synchronize() == kOk);
  REQUIRE(event.Reset(f.a) == kOk);
  CHECK_FALSE(event.Complete());
  CHECK(event.Synchronize() == kParamInvalid);
  Signal waited;
  REQUIRE(event.Wait(f.b) == kOk);
  f.b.Enqueue([&](Stream&) { return waited.Set(), kOk; });
  CHECK_FALSE(waited.WaitFor(5));
  REQUIRE(event.Record(f.a) == kOk);
  CHECK(waited.WaitFor(60000));
}

TEST_CASE("synchronising with an event: timeout, fault of its stream, never recorded") {
  Fixture f;
  Event event(1, {});
  CHECK(event.Synchronize() == kParamInvalid);
  Signal go;
  f.a.Enqueue([&](Stream& on) { return go.Wait(on.stop_token()), Fail(507015, "fault"); });
  REQUIRE(event.Record(f.a) == kOk);
  CHECK(event.Synchronize(1) == kEventSyncTimeout);
  go.Set();
  CHECK(event.Synchronize() == 507015);
  CHECK(f.a.Synchronize() == 507015);
}

TEST_CASE("elapsed time is that between the marks") {
  Fixture f;
  Event start(1, {});
  Event end(2, {});
  float ms = 0;
  CHECK(Event::Elapsed(start, end, &ms) == kEventTimestampInvalid);
  start.Record(f.a);
  f.a.Enqueue([](Stream&) { return std::this_thread::sleep_for(std::chrono::milliseconds(20)), kOk; });
  end.Record(f.a);
  REQUIRE(f.a.Synchronize() == kOk);
  REQUIRE(Event::Elapsed(start, end, &ms) == kOk);
  CHECK(ms >= 20.0f);
  CHECK(ms < 20000.0f);
  CHECK(Event::Elapsed(end, start, &ms) == kEventTimestampReversal);
  Event untimed(3, {.timing = false});
  untimed.Record(f.a);
  REQUIRE(untimed.Synchronize() == kOk);
  CHECK(Event::Elapsed(start, untimed, &ms) == kEventTimestampInvalid);
}

TEST_CASE("an event that goes unrecorded lets its waiters go with a fault") {
  Fixture f;
  {
    Event event(1, {});
    REQUIRE(event.Wait(f.b) == kOk);
  }
  CHECK(f.b.Synchronize() == kStreamAbort);
  Event unwaitable(2, {.waits = false});
  CHECK(unwaitable.Wait(f.b) == kParamInvalid);
}

TEST_CASE("a record that is dropped with its stream ends waits elsewhere") {
  Memory memory(1 << 20);
  Device device(0, memory);
  Stream b(device, 2);
  Event event(1, {});
  Signal never;
  {
    Stream a(device, 1);
    a.Enqueue([&](Stream& on) { return never.Wait(on.stop_token()); });
    REQUIRE(event.Record(a) == kOk);
    REQUIRE(event.Wait(b) == kOk);
  }
  CHECK(b.Synchronize() == kStreamAbort);
}
