// An om in memory: the graph with its placement, the tasks in launch order, and what the model says of itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// Numbered as TaskDef.type.
enum class TaskType : uint32_t {
  kKernel = 0,
  kEventRecord = 1,
  kEventWait = 2,
  kKernelEx = 5,
  kStreamSwitch = 7,
  kStreamActive = 8,
  kLabelSet = 9,
  kLabelGoto = 11,
  kMemcpyAsync = 13,
  kEndGraph = 19,
  kLabelSwitchByIndex = 23,
};

// Tasks of one stream run in the order in which they stand.
struct Task {
  TaskType type = TaskType::kKernel;
  uint32_t id = 0;
  uint32_t stream = 0;
  uint32_t event = 0;       // of kEventRecord and kEventWait
  NodeId op_index = kNoId;  // a node of the main graph: what runs, or the Send or Recv
  std::string private_def;  // what our executor needs beyond the graph; its first byte is a version
};

struct OmModel {
  std::string name;
  std::unique_ptr<Graph> graph;
  std::vector<Task> tasks;

  // Bytes of feature memory, the part bound to user buffers included, and that part, which lies at the end.
  int64_t memory_size = 0;
  int64_t zero_copy_memory_size = 0;
  int64_t stream_num = 1;
  int64_t event_num = 0;
  // Bytes of the weights as they lie in the file; set by ReadOm, found by WriteOm.
  int64_t weight_size = 0;
  // Some shape is only known when the model runs.
  bool dynamic = false;
  // Further attributes of the model: soc_version, atc_version, atc_cmdline, framework_type,
  // attr_model_out_nodes_name...
  AttrMap attrs;
  // How the om is written: attributes with numbers for names and texts, see attr_compression.h.
  bool compress_attributes = false;
};

// The attribute that marks an om as made by this project; its value is the version of our conventions in it.
inline constexpr char kOurFormatAttr[] = "openatc_format";
inline constexpr int64_t kOurFormat = 1;

}  // namespace atc
