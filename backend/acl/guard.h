// The edge between C and C++: no exception leaves, every fault becomes a code with a text in the thread's log.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "backend/acl/call_log.h"
#include "backend/acl/include/acl/acl_base.h"
#include "backend/runtime/status.h"
#include "compiler/ir/error.h"
#include "compiler/ir/error_catalogue.h"

namespace atc::acl {

using runtime::Fail;

// A message as a caller of the C API reads it: the sentence, where it happened, and the code when it tells something.
inline std::string PlainText(const Diagnostic& diagnostic) {
  std::string text = MessageText(diagnostic);
  if (!diagnostic.context.empty() && text.ends_with('.')) text.pop_back();  // the sentence goes on
  for (const std::string& where : diagnostic.context) text += ", at " + where;
  if (diagnostic.code != "E19999") text += " (" + diagnostic.code + ")";
  return text;
}

// Code for a user's fault that was thrown; the runtime's codes are ACL's own and pass as they are. `name` is that of the
// function which calls it, for profiles.
template <class Body>
aclError Guard(Body&& body, aclError on_error = static_cast<aclError>(ACL_ERROR_GE_PARAM_INVALID),
               const char* name = __builtin_FUNCTION()) noexcept {
  const CallTimer timer(name);
  try {
    return std::forward<Body>(body)();
  } catch (const Error& e) {
    return Fail(on_error, PlainText(e.diagnostic()));
  } catch (const std::bad_alloc&) {
    return Fail(ACL_ERROR_BAD_ALLOC, "out of host memory");
  } catch (const std::exception& e) {
    return Fail(ACL_ERROR_INTERNAL_ERROR, e.what());
  } catch (...) {
    return Fail(ACL_ERROR_INTERNAL_ERROR, "unknown exception");
  }
}

// For functions that return something else than a code.
template <class Result, class Body>
Result GuardValue(Result fallback, Body&& body, const char* name = __builtin_FUNCTION()) noexcept {
  Result result = fallback;
  Guard(
      [&] {
        result = std::forward<Body>(body)();
        return ACL_SUCCESS;
      },
      static_cast<aclError>(ACL_ERROR_GE_PARAM_INVALID), name);
  return result;
}

inline aclError Unoffered(const char* name) {
  return Fail(ACL_ERROR_API_NOT_SUPPORT, std::string(name) + " is not offered by this device");
}

inline aclError NullArgument(const char* name) {
  return Fail(ACL_ERROR_INVALID_PARAM, std::string("argument ") + name + " is NULL");
}

inline aclError BadHandle(const char* name, const char* kind) {
  return Fail(ACL_ERROR_INVALID_PARAM, std::string("argument ") + name + " is not " + kind +
                                           " that is alive: it was destroyed, or never was one");
}

}  // namespace atc::acl
