// Calls from the compiler and the device into plugins.
#pragma once

#include <exception>
#include <string>

#include "compiler/ir/error.h"
#include "compiler/ir/op_def.h"
#include "register/custom_operator.h"

namespace atc {

// Notes what CallInfer and CallKernel need of an operator. Thread-safe.
void KeepForCalls(const ge::CustomOperator::Data& custom, const std::string& library);

// Inference and kernel of all operators of plugins: check the operands against what the plugin has declared, call it, and
// check what it says. Throw Error naming node, operator and library.
void CallInfer(InferContext& ctx);
void CallKernel(KernelContext& ctx);

// Runs code of a plugin; what it throws becomes an Error that names the library.
template <typename F>
ge::Status CallPlugin(const std::string& library, F&& call) {
  try {
    return call();
  } catch (const Error&) {
    throw;  // ours, thrown through the plugin
  } catch (const std::exception& error) {
    throw Error::Internal("the plugin " + library + " threw: " + error.what());
  } catch (...) {
    throw Error::Internal("the plugin " + library + " threw an exception of a type unknown here");
  }
}

}  // namespace atc
