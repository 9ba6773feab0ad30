// Converts and runs wrong models made of the ONNX backend cases with one node: each must end in an error that names the
// node, or in a conversion and a run; nothing may crash, hang, or throw what is no Error.
//
//   mutation_runner [--only TEXT] [--part K --parts N] [--every K] [--verbose] FOLDER | --generated
//
// One case of each version and number of inputs of each operator is taken, or models made from the table of signatures. The mutations of a case run in a process of
// its own, which is begun anew behind one that crashes.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "compiler/ir/error.h"
#include "compiler/ir/error_catalogue.h"
#include "parsers/onnx/signature.h"
#include "parsers/onnx/value_file.h"
#include "test/backend_cases/case.h"
#include "test/backend_cases/generated_samples.h"
#include "test/backend_cases/mutations.h"

namespace atc::backend_cases {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kSecondsPerMutation = 30;
constexpr rlim_t kMostMemory = rlim_t{6} << 30;

bool ReadSample(const Case& which, Sample* sample) {
  std::ifstream in(which.model, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  if (!sample->model.ParseFromString(bytes.str())) return false;
  onnx::GraphProto& graph = *sample->model.mutable_graph();
  if (graph.node_size() != 1 || sample->model.functions_size() > 0 || graph.initializer_size() > 0) return false;
  graph.mutable_node(0)->set_name(kNodeName);
  // What a wrong model declares of its outputs would be wrong as well.
  for (onnx::ValueInfoProto& output : *graph.mutable_output()) output.clear_type();
  const fs::path set = fs::path(which.model).parent_path() / "test_data_set_0";
  for (int i = 0; i < graph.input_size(); ++i) {
    const fs::path path = set / fmt::format("input_{}.pb", i);
    if (!fs::exists(path)) return false;
    const bool variant = !graph.input(i).type().has_tensor_type();
    const Tensor tensor = variant ? ReadVariantFile(path.string()) : ReadTensorFile(path.string());
    const int declared = graph.input(i).type().tensor_type().elem_type();
    if (!variant && DataTypeFromOnnx(declared) != tensor.dtype()) return false;
    sample->inputs.push_back(tensor);
  }
  return true;
}

using NamedSamples = std::vector<std::pair<std::string, Sample>>;

// One case of each kind.
NamedSamples Samples(const std::string& folder, const std::string& only) {
  NamedSamples samples;
  std::set<std::string> seen;
  for (const Case& which : FindCases(folder)) {
    Sample sample;
    if (which.name.find(only) == std::string::npos || !ReadSample(which, &sample)) continue;
    const onnx::NodeProto& node = sample.model.graph().node(0);
    int opset = 1;
    for (const auto& import : sample.model.opset_import()) {
      if (import.domain() == node.domain()) opset = static_cast<int>(import.version());
    }
    const onnx_parser::Signature* signature =
        onnx_parser::SignatureTable::Get().Find(node.op_type(), opset, node.domain());
    if (signature == nullptr) continue;
    const std::string kind =
        fmt::format("{} {} {} {}", node.domain(), node.op_type(), signature->since, node.input_size());
    if (seen.insert(kind).second) samples.emplace_back(which.name, std::move(sample));
  }
  return samples;
}

bool NamesNode(const Error& error) {
  std::string text = MessageText(error.diagnostic());
  for (const std::string& where : error.diagnostic().context) text += " " + where;
  return text.find(kNodeName) != std::string::npos;
}

std::vector<Shape> ShapesOf(const std::vector<Tensor>& tensors) {
  std::vector<Shape> shapes;
  for (const Tensor& tensor : tensors) shapes.push_back(tensor.shape());
  return shapes;
}

// 'r' ran, 'c' refused by the converter, 'd' refused by the device, 'x' wrong; and what was said.
std::string Judge(Sample sample) {
  const std::unique_ptr<Route> route = MakeDeviceRoute();
  bool converted = false;
  try {
    route->LoadBytes(sample.model.SerializeAsString());
    route->Prepare(ShapesOf(sample.inputs));
    converted = true;
    route->Run(std::move(sample.inputs));
    return "r";
  } catch (const Error& error) {
    const std::string text = error.diagnostic().code + " " + MessageText(error.diagnostic());
    // The whole model's memory and its outputs are no matter of one node.
    const bool of_model = text.find("bytes for feature memory") != std::string::npos || error.diagnostic().code == "E13014";
    if (!of_model && !NamesNode(error)) return "xthe message does not name the node: " + text;
    return (converted ? "d" : "c") + text;
  } catch (const std::bad_alloc&) {
    return converted ? "dnot enough memory" : "cnot enough memory";
  } catch (const std::exception& error) {
    return std::string("xthrew ") + error.what();
  }
}

using Counts = std::map<char, int>;

class Runner {
 public:
  explicit Runner(bool verbose) : verbose_(verbose) {}

  void Run(const std::string& name, const std::vector<Mutation>& mutations) {
    for (size_t next = 0; next < mutations.size();) next = RunFrom(name, mutations, next);
  }
  const Counts& counts() const { return counts_; }

 private:
  // Runs mutations from `first` on in a child; returns the number behind the last one that was tried.
  size_t RunFrom(const std::string& name, const std::vector<Mutation>& mutations, size_t first) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      const rlimit limit{kMostMemory, kMostMemory};
      ::setrlimit(RLIMIT_AS, &limit);
      std::FILE* out = ::fdopen(ends[1], "w");
      for (size_t i = first; i < mutations.size(); ++i) {
        ::alarm(kSecondsPerMutation);
        std::string verdict = Judge(mutations[i].sample);
        for (char& c : verdict) c = c == '\n' ? ' ' : c;
        std::fprintf(out, "%s\n", verdict.c_str());
        std::fflush(out);
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    std::FILE* in = ::fdopen(ends[0], "r");
    size_t done = first;
    char* line = nullptr;
    size_t room = 0;
    for (ssize_t n; (n = ::getline(&line, &room, in)) > 0; ++done) {
      Note(name, mutations[done].what, std::string(line, static_cast<size_t>(n - 1)));
    }
    std::free(line);
    std::fclose(in);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (done == mutations.size()) return done;
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    Note(name, mutations[done].what,
         signal == SIGALRM ? fmt::format("xtook more than {} s", kSecondsPerMutation)
                           : fmt::format("xcrashed with signal {}", signal));
    return done + 1;
  }

  void Note(const std::string& name, const std::string& what, const std::string& verdict) {
    const char kind = verdict.empty() ? 'x' : verdict[0];
    ++counts_[kind];
    if (kind == 'x') {
      fmt::print("WRONG {}, {}: {}\n", name, what, verdict.substr(1));
    } else if (verbose_) {
      fmt::print("{} {}, {}: {}\n", kind, name, what, verdict.substr(1));
    }
  }

  bool verbose_;
  Counts counts_;
};

int Main(int argc, char** argv) {
  CLI::App app("Converts and runs wrong models made of the ONNX backend cases.");
  std::string only, folder;
  size_t part = 0, parts = 1, every = 1;
  bool verbose = false, generated = false;
  app.add_option("--only", only, "only cases whose name holds this text");
  app.add_option("--part", part, "which part of the cases, from 0");
  app.add_option("--parts", parts, "into how many parts they are divided");
  app.add_option("--every", every, "only every K-th mutation of a model")->check(CLI::PositiveNumber);
  app.add_flag("--generated", generated, "models made from the table of signatures");
  app.add_flag("--verbose", verbose, "a line for each mutation");
  app.add_option("folder", folder, "where the cases are");
  CLI11_PARSE(app, argc, argv);
  if (!generated && !fs::is_directory(folder)) {
    fmt::print("SKIPPED: there is no folder {}\n", folder);
    return 0;
  }
  Runner runner(verbose);
  NamedSamples samples = generated ? GeneratedSamples() : Samples(folder, only);
  std::erase_if(samples, [&](const auto& named) { return named.first.find(only) == std::string::npos; });
  std::set<std::string> operators;
  size_t number = 0;
  for (const auto& [name, sample] : samples) {
    operators.insert(sample.model.graph().node(0).op_type());
    if (number++ % parts != part) continue;
    std::vector<Mutation> mutations{{"as it is", sample}};
    size_t next = number;  // another residue for each model
    for (Mutation& mutation : MutationsOf(sample)) {
      if (next++ % every == 0) mutations.push_back(std::move(mutation));
    }
    runner.Run(name, mutations);
  }
  Counts counts = runner.counts();
  fmt::print("{} operators, {} cases in all; of this part {} wrong models ran, {} were refused by the converter, {} by "
             "the device, {} are wrong\n",
             operators.size(), samples.size(), counts['r'], counts['c'], counts['d'], counts['x']);
  return counts['x'] == 0 && (!only.empty() || operators.size() > 150) ? 0 : 1;
}

}  // namespace
}  // namespace atc::backend_cases

int main(int argc, char** argv) {
  try {
    return atc::backend_cases::Main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
