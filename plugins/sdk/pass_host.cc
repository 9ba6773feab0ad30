#include "plugins/sdk/pass_host.h"

namespace atc {
namespace {

thread_local const PassHost* current = nullptr;

}  // namespace

const PassHost* CurrentHost() { return current; }

const PassHost* SetCurrentHost(const PassHost* host) {
  const PassHost* before = current;
  current = host;
  return before;
}

}  // namespace atc
