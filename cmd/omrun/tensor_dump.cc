#include "cmd/omrun/tensor_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cmd/omrun/format_name.h"
#include "cmd/omrun/tensor_file.h"

namespace atc::omrun {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find(separator), rest.size());
    parts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return parts;
}

// A node's name as part of a file's: letters, digits, '-' and '_', and no more than file systems take.
std::string FileWord(const std::string& name) {
  std::string word = name.substr(0, 100);
  std::replace_if(word.begin(), word.end(), [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '_'; }, '_');
  return word;
}

// What the callback is given as user data.
class Writer {
 public:
  Writer(const std::string& folder, const std::vector<std::string>& nodes, OutputFiles* files)
      : folder_(folder), nodes_(nodes.begin(), nodes.end()), files_(files) {}

  static void Take(const openatcTensorRecord* record, void* self) { static_cast<Writer*>(self)->Add(*record); }

  // In the order of the plan; throws what went wrong in a call back.
  std::vector<DumpedTensor> Finish() {
    if (error_) std::rethrow_exception(error_);
    for (const std::string& name : nodes_) {
      if (found_.count(name) == 0) throw RunError(fmt::format("--dump_nodes: no node of the plan is named '{}', and none comes from such a one", name));
    }
    return Sorted();
  }

  // In the order of the plan, whatever there is.
  std::vector<DumpedTensor> Sorted() {
    std::stable_sort(all_.begin(), all_.end(), [](const DumpedTensor& a, const DumpedTensor& b) {
      return std::pair(a.order, a.output) < std::pair(b.order, b.output);
    });
    return std::move(all_);
  }

 private:
  // No exception passes through the device's C functions.
  void Add(const openatcTensorRecord& record) noexcept {
    if (error_) return;
    try {
      Write(record);
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  bool Wanted(const DumpedTensor& entry) {
    if (nodes_.empty()) return true;
    std::vector<std::string> names = entry.origins;
    names.push_back(entry.node);
    bool wanted = false;
    for (const std::string& name : names) {
      if (nodes_.count(name) == 0) continue;
      found_.insert(name);
      wanted = true;
    }
    return wanted;
  }

  void Write(const openatcTensorRecord& record) {
    DumpedTensor entry;
    entry.order = record.position;
    entry.node = record.opName;
    entry.type = record.opType;
    entry.origins = Split(record.originNames, ';');
    entry.output = record.outputIndex;
    entry.dtype = TypeName(static_cast<aclDataType>(record.dataType));
    entry.format = FormatName(static_cast<aclFormat>(record.format));
    entry.storage_format = FormatName(static_cast<aclFormat>(record.storageFormat));
    entry.shape.assign(record.dims, record.dims + record.rank);
    entry.stream = record.streamId;
    entry.task = record.taskId;
    if (!Wanted(entry)) return;
    // Sequences have no file of their own; the index tells that they are there.
    if (FindElementType(static_cast<aclDataType>(record.dataType))) {
      const auto* bytes = static_cast<const std::byte*>(record.data);
      const Tensor tensor{static_cast<aclDataType>(record.dataType), entry.shape, {bytes, bytes + record.bytes}};
      entry.file = fmt::format("{:05}_{}_{}.npy", entry.order, FileWord(entry.node), entry.output);
      files_->Fill(files_->Reserve(folder_ + "/" + entry.file), FormatTensor(tensor, OutputFormat::kNpy));
    }
    all_.push_back(std::move(entry));
  }

  const std::string& folder_;
  std::set<std::string> nodes_, found_;
  OutputFiles* files_;
  std::vector<DumpedTensor> all_;
  std::exception_ptr error_;
};

std::string IndexJson(const std::vector<DumpedTensor>& all) {
  Json list = Json::array();
  for (const DumpedTensor& entry : all) {
    list.push_back({{"order", entry.order},
                    {"node", entry.node},
                    {"type", entry.type},
                    {"origins", entry.origins},
                    {"output", entry.output},
                    {"dtype", entry.dtype},
                    {"format", entry.format},
                    {"storage_format", entry.storage_format},
                    {"shape", entry.shape},
                    {"stream", entry.stream},
                    {"task", entry.task},
                    {"file", entry.file.empty() ? Json() : Json(entry.file)}});
  }
  return Json{{"tensors", std::move(list)}}.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

void DumpTensors(Model& model, const SlotOptions& options, const std::vector<Tensor>& inputs, const std::string& folder,
                 const std::vector<std::string>& nodes, OutputFiles* files) {
  const Backend& acl = model.device().acl();
  if (!acl.set_tensor_callback) {
    throw RunError("--dump_tensors: this device does not tell what its nodes make; --acl_config with a \"dump\" section does on an NPU");
  }
  files->MakeFolder(folder);
  const size_t index = files->Reserve(folder + "/index.json");
  Slot slot(model, options);
  slot.SetInputs(inputs);
  Writer writer(folder, nodes, files);
  acl.Check(acl.set_tensor_callback(model.id(), Writer::Take, &writer), "asking for the outputs of nodes");
  try {
    slot.Launch();
    slot.Finish();
  } catch (...) {
    acl.set_tensor_callback(model.id(), nullptr, nullptr);
    files->Fill(index, IndexJson(writer.Sorted()));
    throw;
  }
  acl.Check(acl.set_tensor_callback(model.id(), nullptr, nullptr), "asking for no more outputs of nodes");
  files->Fill(index, IndexJson(writer.Finish()));
}

std::vector<DumpedTensor> ReadDump(const std::string& folder) {
  const std::string path = folder + "/index.json";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw RunError(fmt::format("'{}' is no folder of --dump_tensors: it has no index.json", folder));
  }
  const std::vector<std::byte> bytes = ReadBytes(path);
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  std::vector<DumpedTensor> all;
  try {
    const auto json = nlohmann::json::parse(text, text + bytes.size());
    for (const auto& from : json.at("tensors")) {
      DumpedTensor entry;
      entry.order = from.at("order");
      entry.node = from.at("node");
      entry.type = from.at("type");
      entry.origins = from.at("origins").get<std::vector<std::string>>();
      entry.output = from.at("output");
      entry.dtype = from.at("dtype");
      entry.format = from.at("format");
      entry.shape = from.at("shape").get<Dims>();
      if (from.at("file").is_string()) entry.file = from.at("file");
      all.push_back(std::move(entry));
    }
  } catch (const nlohmann::json::exception& error) {
    throw RunError(fmt::format("'{}' is not what --dump_tensors writes: {}", path, error.what()));
  }
  std::stable_sort(all.begin(), all.end(), [](const DumpedTensor& a, const DumpedTensor& b) { return a.order < b.order; });
  return all;
}

}  // namespace atc::omrun
