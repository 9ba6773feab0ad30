#include "compiler/dump/dumper.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "compiler/dump/dump_writer.h"
#include "compiler/dump/form_files.h"
#include "compiler/dump/forms.h"
#include "compiler/dump/stage_snapshot.h"
#include "compiler/io/output_file.h"

namespace atc {
namespace {

struct Form {
  std::string_view option;  // in DUMP_GRAPH_FORMAT
  std::string_view prefix;
  std::string_view suffix;
  bool by_default;
  FormFiles::WriteFn write;
  int remarks_up_to;  // detail
};

constexpr Form kForms[] = {
    {"ge_proto", "ge_proto", ".txt", true, WriteProtoText, 3},
    {"onnx", "ge_onnx", ".pbtxt", true, WriteOnnxText, 1},
    {"readable", "ge_readable", ".txt", false, nullptr, 3},
};
static_assert(std::size(kForms) == kNumForms);

// One for each form: numbers run through the process, whatever it converts.
std::atomic<unsigned> counters[kNumForms];

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

unsigned ParseForms(const std::string& option) {
  unsigned chosen = 0;
  unsigned by_default = 0;
  const std::string text = "|" + Lower(option) + "|";
  for (size_t i = 0; i < kNumForms; ++i) {
    if (text.find("|" + std::string(kForms[i].option) + "|") != std::string::npos) chosen |= 1u << i;
    if (kForms[i].by_default) by_default |= 1u << i;
  }
  return chosen != 0 ? chosen : by_default;
}

// Characters that a file name cannot hold on some system or other.
std::string Escape(std::string_view stage) {
  std::string text(stage);
  for (char& c : text) {
    if (std::string_view("/\\:*?\"<>|").find(c) != std::string_view::npos) c = '_';
  }
  return text;
}

// File systems take names of up to 255 bytes; a longer one is cut as GE cuts it.
std::string FileName(const Form& form, unsigned number, bool single_op, int graph_id, std::string_view stage) {
  constexpr size_t kTooLong = 255;
  constexpr size_t kKept = 248;
  std::string name = fmt::format("{}_{:08}{}_graph_{}_{}", form.prefix, number, single_op ? "_aclop" : "", graph_id,
                                 Escape(stage));
  if (name.size() + form.suffix.size() >= kTooLong) name.resize(kKept);
  return name.append(form.suffix);
}

bool MakeFolder(const std::string& folder) {
  try {
    MakeParentFolders(folder);
  } catch (const Error&) {
    return false;
  }
  return access(folder.c_str(), W_OK | X_OK) == 0;
}

// The first that is asked for; where it cannot be made, the working directory, and a warning.
std::string ChooseFolder(const DumpEnvironment& environment, Diagnostics* diagnostics) {
  const struct {
    const char* variable;
    const std::string& value;
    std::string folder;
  } choices[] = {{"NPU_COLLECT_PATH", environment.npu_collect_path,
                  fmt::format("{}/extra-info/graph/{}_{}/", environment.npu_collect_path, environment.pid,
                              environment.device_id)},
                 {"DUMP_GRAPH_PATH", environment.dump_graph_path,
                  fmt::format("{}/pid_{}_deviceid_{}/", environment.dump_graph_path, environment.pid,
                              environment.device_id)},
                 {"ASCEND_WORK_PATH", environment.ascend_work_path, environment.ascend_work_path + "/"}};
  for (const auto& choice : choices) {
    if (choice.value.empty()) continue;
    if (MakeFolder(choice.folder)) return choice.folder;
    if (diagnostics != nullptr) {
      diagnostics->Warn("W10002", {{"env", choice.variable},
                                   {"value", choice.value},
                                   {"situation", "No folder can be made there: the dumps go to the working folder."}});
    }
    break;
  }
  return "./";
}

}  // namespace

DumpEnvironment DumpEnvironment::OfProcess() {
  DumpEnvironment environment;
  environment.dump_ge_graph = Variable("DUMP_GE_GRAPH");
  environment.dump_graph_level = Variable("DUMP_GRAPH_LEVEL");
  environment.dump_graph_format = Variable("DUMP_GRAPH_FORMAT");
  environment.dump_graph_path = Variable("DUMP_GRAPH_PATH");
  environment.npu_collect_path = Variable("NPU_COLLECT_PATH");
  environment.ascend_work_path = Variable("ASCEND_WORK_PATH");
  environment.pid = getpid();
  return environment;
}

Dumper::Dumper(DumpEnvironment environment, Diagnostics* diagnostics)
    : environment_(std::move(environment)), filter_(environment_.dump_graph_level), diagnostics_(diagnostics) {
  const std::string& detail = environment_.dump_ge_graph;
  if (detail.size() == 1 && detail[0] >= '1' && detail[0] <= '3') detail_ = detail[0] - '0';
  forms_ = ParseForms(environment_.dump_graph_format);
}

Dumper::~Dumper() { Wait(); }

bool Dumper::Wants(std::string_view stage) const { return detail_ != 0 && !stage.empty() && filter_.Wants(stage); }

void Dumper::Dump(std::string_view stage, const Graph& graph, bool changed, int graph_id) {
  same_ = same_ && !changed;
  if (!Wants(stage)) return;
  if (fault_ || (writer_ && writer_->failed())) return Wait();
  if (!writer_) Begin();
  FormFiles::Job job;
  if (!same_) {
    try {
      job.snapshot = taker_->Take(GraphList(graph));
    } catch (const Error& error) {
      fault_ = error.diagnostic();
      return;
    }
  }
  size_t place = 0;
  for (size_t i = 0; i < kNumForms; ++i) {
    if ((forms_ & 1u << i) == 0) continue;
    job.graph = job.snapshot && kForms[i].write == nullptr ? graph.Clone() : nullptr;
    job.path = folder_ + FileName(kForms[i], counters[i]++, environment_.single_op, graph_id, stage);
    writer_->Give(place++, job);
  }
  same_ = true;
}

void Dumper::Begin() {
  folder_ = ChooseFolder(environment_, diagnostics_);
  taker_ = std::make_unique<SnapshotTaker>(detail_);
  std::vector<FormFiles> forms;
  for (size_t i = 0; i < kNumForms; ++i) {
    if ((forms_ & 1u << i) != 0) forms.emplace_back(kForms[i].write, kForms[i].remarks_up_to);
  }
  writer_ = std::make_unique<DumpWriter>(std::move(forms));
}

void Dumper::Wait() {
  std::optional<Diagnostic> fault = std::exchange(fault_, std::nullopt);
  if (writer_) {
    std::optional<Diagnostic> its = writer_->Wait();
    if (!fault) fault = std::move(its);
  }
  if (!fault) return;
  detail_ = 0;
  if (diagnostics_ == nullptr) return;
  fault->severity = Diagnostic::kWarning;
  diagnostics_->Add(*std::move(fault));
}

}  // namespace atc
