#include "backend/runtime/runtime.h"

#include <catch2/catch.hpp>
#include <thread>

#include "backend/runtime/report.h"

using namespace atc::runtime;

TEST_CASE("a device is set and reset by count, and its last reset frees everything") {
  Runtime& runtime = Runtime::Get();
  CHECK(runtime.current() == nullptr);
  CHECK(runtime.SetDevice(-1) == kInvalidDevice);
  CHECK(runtime.SetDevice(runtime.device_count()) == kInvalidDevice);
  REQUIRE(runtime.SetDevice(0) == kOk);
  REQUIRE(runtime.SetDevice(0) == kOk);
  const std::shared_ptr<Context> first = runtime.current();
  REQUIRE(first);
  Device& device = first->device();
  std::shared_ptr<Context> second;
  REQUIRE(runtime.CreateContext(0, &second) == kOk);
  CHECK(runtime.current() == second);
  std::shared_ptr<Stream> stream;
  std::shared_ptr<Event> event;
  REQUIRE(second->CreateStream(&stream) == kOk);
  REQUIRE(second->CreateEvent({}, &event) == kOk);
  REQUIRE(event->Wait(*stream) == kOk);  // never recorded: the reset must not wait for it
  void* memory = nullptr;
  REQUIRE(device.Malloc(1000, &memory) == kOk);
  int ran = 0;
  first->default_stream()->Enqueue([&](Stream&) { return ++ran, kOk; });

  REQUIRE(runtime.ResetDevice(0, false) == kOk);
  CHECK_FALSE(first->closed());
  REQUIRE(runtime.ResetDevice(0, false) == kOk);
  CHECK(first->closed());
  CHECK(second->closed());
  CHECK(ran == 1);
  CHECK(runtime.current() == nullptr);
  CHECK(device.memory_stats().count == 0);
  CHECK(device.streams().used() == 0);
  CHECK(device.events().used() == 0);
  CHECK(device.Free(memory) == kParamInvalid);
  CHECK(stream->Enqueue([](Stream&) { return kOk; }) == kStreamAbort);
  CHECK(first->CreateStream(&stream) == kContextNull);
  CHECK(runtime.ResetDevice(0, false) == kContextNull);
}

TEST_CASE("a context destroys its own streams and events and no others") {
  Runtime& runtime = Runtime::Get();
  std::shared_ptr<Context> a, b;
  REQUIRE(runtime.CreateContext(0, &a) == kOk);
  REQUIRE(runtime.CreateContext(0, &b) == kOk);
  std::shared_ptr<Stream> stream;
  REQUIRE(a->CreateStream(&stream) == kOk);
  CHECK(b->DestroyStream(*stream, false) == kStreamContext);
  CHECK(a->DestroyStream(*a->default_stream(), false) == kStreamContext);
  CHECK(a->DestroyStream(*stream, false) == kOk);
  CHECK(a->DestroyStream(*stream, false) == kStreamContext);
  CHECK(runtime.DestroyContext(*a) == kOk);
  CHECK(runtime.DestroyContext(*a) == kContextNull);
  CHECK(runtime.current() == b);
  CHECK(runtime.ResetDevice(0, true) == kOk);
  CHECK(runtime.current() == nullptr);
}

TEST_CASE("the current context is the thread's own") {
  Runtime& runtime = Runtime::Get();
  REQUIRE(runtime.SetDevice(0) == kOk);
  bool none = false;
  std::thread([&] { none = runtime.current() == nullptr; }).join();
  CHECK(none);
  REQUIRE(runtime.ResetDevice(0, true) == kOk);
}

TEST_CASE("a device synchronises all of its streams") {
  Runtime& runtime = Runtime::Get();
  REQUIRE(runtime.SetDevice(0) == kOk);
  const std::shared_ptr<Context> context = runtime.current();
  std::shared_ptr<Stream> streams[4];
  std::atomic<int> ran{0};
  for (auto& stream : streams) {
    REQUIRE(context->CreateStream(&stream) == kOk);
    for (int i = 0; i < 10; ++i) stream->Enqueue([&](Stream&) { return ++ran, kOk; });
  }
  streams[2]->Enqueue([](Stream&) { return Fail(507018, "fault"); });
  CHECK(context->device().Synchronize() == 507018);
  CHECK(ran == 40);
  CHECK(context->device().Synchronize() == kOk);
  Code inside = kOk, waiting = kOk;
  streams[0]->Enqueue([&](Stream&) {
    inside = runtime.ResetDevice(0, true);
    waiting = context->device().Synchronize();
    return kOk;
  });
  streams[0]->Synchronize();
  CHECK(inside == kFeatureNotSupported);
  CHECK(waiting == kFeatureNotSupported);
  REQUIRE(runtime.ResetDevice(0, true) == kOk);
}

TEST_CASE("the core budget keeps within what the process may use") {
  Runtime& runtime = Runtime::Get();
  CHECK(runtime.cores() == Runtime::UsableCores());
  CHECK(runtime.SetCores(1) == kOk);
  CHECK(runtime.cores() == 1);
  CHECK(runtime.SetCores(Runtime::UsableCores() + 1) == kParamInvalid);
  CHECK(runtime.cores() == 1);
  CHECK(runtime.SetCores(0) == kOk);
  CHECK(runtime.cores() == Runtime::UsableCores());
}

TEST_CASE("callbacks run on the thread that subscribed, in order") {
  Runtime& runtime = Runtime::Get();
  REQUIRE(runtime.SetDevice(0) == kOk);
  std::shared_ptr<Stream> stream;
  REQUIRE(runtime.current()->CreateStream(&stream) == kOk);
  CHECK(LaunchCallback(*stream, [] {}, true) == kStreamNoCallback);
  CHECK(ProcessReport(5, 1) == kThreadSubscribe);
  REQUIRE(Subscribe(5, *stream) == kOk);
  CHECK(Subscribe(6, *stream) == kStreamSubscribe);
  CHECK(Unsubscribe(6, *stream) == kThreadSubscribe);
  CHECK(ProcessReport(5, 1) == kReportTimeout);
  std::vector<int> order;
  std::thread server([&] {
    for (int i = 0; i < 2; ++i) ProcessReport(5, -1);
  });
  LaunchCallback(*stream, [&] { order.push_back(1); }, true);
  stream->Enqueue([&](Stream&) { return order.push_back(2), kOk; });
  LaunchCallback(*stream, [&] { order.push_back(3); }, true);
  CHECK(stream->Synchronize() == kOk);
  server.join();
  CHECK(order == std::vector<int>{1, 2, 3});
  // What nobody fetches does not hold up the end of the subscription.
  LaunchCallback(*stream, [&] { order.push_back(4); }, true);
  CHECK(Unsubscribe(5, *stream) == kOk);
  CHECK(stream->Synchronize() == kOk);
  CHECK(order.size() == 3);
  REQUIRE(runtime.ResetDevice(0, false) == kOk);
}
