// A process that has the device set, and leaves nothing behind.
#pragma once

#include <catch2/catch.hpp>

#include "backend/acl/include/acl/acl.h"
#include "backend/acl/include/acl/openatc_ext.h"

struct DeviceFixture {
  DeviceFixture() {
    REQUIRE(aclrtSetDevice(0) == ACL_SUCCESS);
    aclGetRecentErrMsg();
  }
  ~DeviceFixture() { aclrtResetDeviceForce(0); }
};

struct DeviceMemory {
  explicit DeviceMemory(size_t bytes) : bytes(bytes) {
    REQUIRE(aclrtMalloc(&data, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
  }
  ~DeviceMemory() { aclrtFree(data); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void* data = nullptr;
  size_t bytes = 0;
};
