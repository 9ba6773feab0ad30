// How a shared library registers passes of its own:
//   REGISTER_CUSTOM_PASS("name").CustomAllocateStreamPassFn(fn)     after logical streams are assigned
//   REGISTER_CUSTOM_PASS("name").CustomPassFn(fn).Stage(stage)      on the graph, at one of the stages
// A library may also export `extern "C" void RegisterCustomPasses(ge::PassRegistry&)`, called when it is loaded.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ge_common/ge_api_error_codes.h"
#include "graph/graph.h"
#include "register/register_types.h"

namespace ge {

class CustomPassContext;
class CustomPassContextImpl;
class StreamPassContext;
class StreamPassContextImpl;
using CustomPassFunc = std::function<Status(GraphPtr&, CustomPassContext&)>;
using CustomAllocateStreamPassFunc = std::function<Status(const ConstGraphPtr&, StreamPassContext&)>;
constexpr int64_t INVALID_STREAM_ID = -1;

enum class CustomPassStage : uint32_t {
  kBeforeInferShape = 0,
  kAfterInferShape = 1,
  kAfterAssignLogicStream = 2,  // for stream passes alone
  kAfterBuiltinFusionPass = 3,
  kAfterOriginGraphOptimize = 4,
  kCompatibleInherited = 5,
  kInvalid
};

// Copies share what they describe.
class PassRegistrationData {
 public:
  PassRegistrationData() = default;
  PassRegistrationData(const char* pass_name) : data_(std::make_shared<Data>()) {
    data_->name = AscendString(pass_name);
  }
  PassRegistrationData(const std::string& pass_name) : PassRegistrationData(pass_name.c_str()) {}

  PassRegistrationData& CustomPassFn(const CustomPassFunc& fn) {
    if (data_) data_->graph_pass = fn;
    return *this;
  }
  PassRegistrationData& CustomAllocateStreamPassFn(const CustomAllocateStreamPassFunc& fn) {
    if (!data_) return *this;
    data_->stream_pass = fn;
    data_->stage = CustomPassStage::kAfterAssignLogicStream;
    return *this;
  }
  PassRegistrationData& Stage(const CustomPassStage stage) {
    if (data_ && stage < CustomPassStage::kInvalid) data_->stage = stage;
    return *this;
  }

  AscendString Name() const { return data_ ? data_->name : AscendString(); }
  std::string GetPassName() const { return Name().GetString(); }
  CustomPassFunc GetCustomPassFn() const { return data_ ? data_->graph_pass : CustomPassFunc(); }
  CustomAllocateStreamPassFunc GetCustomAllocateStreamPass() const {
    return data_ ? data_->stream_pass : CustomAllocateStreamPassFunc();
  }
  CustomPassStage GetStage() const { return data_ ? data_->stage : CustomPassStage::kInvalid; }

 private:
  struct Data {
    AscendString name;
    CustomPassFunc graph_pass;
    CustomAllocateStreamPassFunc stream_pass;
    CustomPassStage stage = CustomPassStage::kBeforeInferShape;
  };
  std::shared_ptr<Data> data_;
};

class PassReceiver {
 public:
  PassReceiver(PassRegistrationData& data);
};

// Handed to the entry function of a library.
class PassRegistry {
 public:
  virtual void Register(const PassRegistrationData& data) = 0;

 protected:
  ~PassRegistry() = default;
};

class CustomPassContext {
 public:
  CustomPassContext();
  virtual ~CustomPassContext();

  // Why the pass fails; part of the error that the user reads.
  void SetErrorMessage(const AscendString& message);
  AscendString GetErrorMessage() const;
  void SetPassName(const AscendString& name);
  AscendString GetPassName() const;
  // Fails where the option is not set.
  graphStatus GetOptionValue(const AscendString& key, AscendString& value) const;

 private:
  friend struct Access;
  std::shared_ptr<CustomPassContextImpl> impl_;
};

class StreamPassContext : public CustomPassContext {
 public:
  explicit StreamPassContext(int64_t current_max_stream_id);
  ~StreamPassContext() override;

  // Fails unless 0 <= stream_id <= GetCurrMaxStreamId() and the node is one of the graph that the pass was given. Nodes
  // that emit no task (Data, Const, ...) stay without a stream.
  graphStatus SetStreamId(const GNode& node, int64_t stream_id);
  // INVALID_STREAM_ID where the node has none.
  int64_t GetStreamId(const GNode& node) const;
  int64_t AllocateNextStreamId();
  int64_t GetCurrMaxStreamId() const;

 private:
  friend struct Access;
  std::shared_ptr<StreamPassContextImpl> stream_impl_;
};

}  // namespace ge

#define OPENATC_PASS_RECEIVER(number, name) \
  static ::ge::PassReceiver openatc_pass_receiver_##number __attribute__((unused)) = ::ge::PassRegistrationData(name)
#define OPENATC_NUMBERED_PASS_RECEIVER(number, name) OPENATC_PASS_RECEIVER(number, name)
#define REGISTER_CUSTOM_PASS(name) OPENATC_NUMBERED_PASS_RECEIVER(__COUNTER__, name)
