#include "backend/executor/describe.h"
#include "backend/executor/dynamic_model.h"
#include "backend/executor/geared_model.h"
#include "backend/executor/static_model.h"
#include "compiler/om/reader.h"
#include "plugins/operators/custom_operators.h"

namespace atc {
namespace {

// What `read` gives. A model with operators that are not built in has the plugins loaded which may bring them.
template <typename Read>
OmModel ReadWithPlugins(Read&& read) {
  try {
    return read();
  } catch (const Error& missing) {
    if (missing.diagnostic().code != "E10501") throw;
  }
  const CustomOperatorReport report = LoadCustomOperators();
  try {
    return read();
  } catch (const Error& error) {
    throw ExplainPlugins(error, report);
  }
}

std::shared_ptr<LoadedModel> Prepare(OmModel model, const LoadOptions& options) {
  if (!GearsOf(*model.graph).empty()) return std::make_shared<GearedModel>(std::move(model), options);
  if (model.dynamic) return std::make_shared<DynamicModel>(std::move(model), options);
  return std::make_shared<StaticModel>(std::move(model), options);
}

// A copy, so that constants, which are windows of it, live as long as the model.
Buffer Copy(std::span<const std::byte> memory) {
  Buffer buffer = Buffer::Allocate(memory.size());
  std::copy(memory.begin(), memory.end(), buffer.data);
  return buffer;
}

}  // namespace

std::shared_ptr<LoadedModel> LoadedModel::Load(const std::string& path, const LoadOptions& options) {
  return Prepare(ReadWithPlugins([&] { return ReadOm(path, {.reasons = false}); }), options);
}

std::shared_ptr<LoadedModel> LoadedModel::Load(std::span<const std::byte> memory, const LoadOptions& options) {
  const Buffer buffer = Copy(memory);
  return Prepare(ReadWithPlugins([&] { return ReadOm(buffer, "model in memory", {.reasons = false}); }), options);
}

bool LoadedModel::IsOwn(const std::string& path) { return IsOwnOm(path); }

ModelInfo LoadedModel::Describe(const std::string& path, bool* own) {
  if (own != nullptr) *own = true;
  return DescribeModel(ReadWithPlugins([&] { return ReadOm(path, {.check_weights = false, .reasons = false}); }));
}

ModelInfo LoadedModel::Describe(std::span<const std::byte> memory, bool* own) {
  if (own != nullptr) *own = true;
  const Buffer buffer = Copy(memory);
  return DescribeModel(
      ReadWithPlugins([&] { return ReadOm(buffer, "model in memory", {.check_weights = false, .reasons = false}); }));
}

}  // namespace atc
