#include "compiler/sample_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "compiler/io/mapped_file.h"
#include "compiler/io/npy.h"
#include "compiler/ir/error.h"
#include "compiler/ir/nearest_names.h"
#include "compiler/ops/cast.h"

namespace atc {
namespace {

// Evenly from [0, 1): the standard leaves its distributions to the library, so that they would differ from one to the
// next.
class Draw {
 public:
  explicit Draw(uint32_t seed) : engine_(seed) {}
  double Even() { return static_cast<double>(engine_()) / 4294967296.0; }
  // By Box and Muller.
  double Normal() {
    const double radius = std::sqrt(-2 * std::log(1 - Even()));
    return radius * std::cos(2 * 3.14159265358979323846 * Even());
  }

 private:
  std::mt19937 engine_;
};

// Open dims as small as they may be.
Shape Closed(const TensorDesc& desc) {
  const Shape& shape = desc.origin_shape;
  std::vector<int64_t> dims = shape.HasRank() ? shape.dims() : std::vector<int64_t>();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) dims[i] = i < desc.ranges.size() ? std::max<int64_t>(desc.ranges[i].min, 1) : 1;
  }
  return Shape(std::move(dims));
}

constexpr int kSmallIntegers = 4;  // drawn from 0 on: ids that most models take

Tensor CastTo(const Tensor& from, DataType dtype) {
  if (from.dtype() == dtype) return from;
  Tensor to = Tensor::Allocate(dtype, from.shape());
  const std::string fault = CastElements(from, {}, &to);
  if (!fault.empty()) throw Error::Internal("sample data: " + fault);
  return to;
}

Tensor Drawn(const Node& data, const TensorDesc& desc, const SampleInput* sample, uint32_t seed) {
  if (!IsFloating(desc.dtype) && !IsInteger(desc.dtype) && desc.dtype != DT_BOOL) {
    throw Error("E10001", {{"value", data.name},
                           {"parameter", "--sample_inputs"},
                           {"reason", fmt::format("The input has the type {}, for which no data can be drawn.",
                                                  DataTypeName(desc.dtype))}});
  }
  Draw draw(seed);
  Tensor floats = Tensor::Allocate(DT_FLOAT, Closed(desc));
  const bool whole = !IsFloating(desc.dtype);
  for (int64_t i = 0; i < floats.NumElements(); ++i) {
    double value;
    if (sample != nullptr) {
      value = sample->low + draw.Even() * (sample->high - sample->low + (whole ? 1 : 0));
    } else if (whole) {
      value = std::floor(draw.Even() * (desc.dtype == DT_BOOL ? 2 : kSmallIntegers));
    } else {
      value = draw.Normal();
    }
    floats.MutableData<float>()[i] = static_cast<float>(whole ? std::floor(value) : value);
  }
  return CastTo(floats, desc.dtype);
}

[[noreturn]] void Refuse(const std::string& file, std::string reason) {
  throw Error("E10001", {{"value", file}, {"parameter", "--sample_inputs"}, {"reason", std::move(reason)}});
}

// Elements without a head: of the type of the input, and of its shape, of which one dim may be open.
Tensor FromRaw(const Node& data, const TensorDesc& desc, const std::string& file) {
  const Buffer bytes = MapFile(file);
  const std::string wanted =
      fmt::format("the input '{}' takes {} {}", data.name, DataTypeName(desc.dtype), ToString(desc.origin_shape));
  const int64_t bits = DataTypeBits(desc.dtype);
  if (desc.dtype == DT_STRING || desc.dtype == DT_VARIANT || bits % 8 != 0 || !desc.origin_shape.HasRank()) {
    Refuse(file, fmt::format("A file of bytes alone does not say what it holds; {}. Save it with NumPy.", wanted));
  }
  std::vector<int64_t> dims = desc.origin_shape.dims();
  int64_t known = bits / 8, open = 0;
  for (const int64_t dim : dims) dim < 0 ? ++open : known *= dim;
  if (open > 1)
    Refuse(file, fmt::format("{}: more than one dim is open. Save it with NumPy, whose files hold shapes.", wanted));
  const auto size = static_cast<int64_t>(bytes.size);
  if (open == 1 && known > 0 && size % known == 0)
    *std::find_if(dims.begin(), dims.end(), [](int64_t d) { return d < 0; }) = size / known;
  if (open == 1 ? known == 0 || size % known != 0 : size != known) {
    Refuse(file, fmt::format("It holds {} bytes; {}, which is {}{} bytes.", size, wanted,
                             open == 1 ? "a multiple of " : "", known));
  }
  const bool truths = std::all_of(bytes.data, bytes.data + bytes.size, [](std::byte b) { return b <= std::byte{1}; });
  if (desc.dtype == DT_BOOL && !truths) Refuse(file, fmt::format("It holds other bytes than 0 and 1; {}.", wanted));
  return Tensor(desc.dtype, Shape(std::move(dims)), bytes);
}

// What of the samples is not as it seems, each sentence once, in the order in which it was found.
using Remarks = std::vector<std::string>;

void Remark(std::string text, Remarks* remarks) {
  if (std::find(remarks->begin(), remarks->end(), text) == remarks->end()) remarks->push_back(std::move(text));
}

void RemarkNan(const Tensor& tensor, const std::string& file, Remarks* remarks) {
  if (!IsFloating(tensor.dtype())) return;
  const std::vector<double> values = ToDoubles(tensor);
  const auto count = std::count_if(values.begin(), values.end(), [](double value) { return std::isnan(value); });
  if (count == 0) return;
  Remark(fmt::format("{} holds NaN in {} of {} elements, and what is computed from NaN tells nothing of ranges or differences.",
                     file, count, values.size()),
         remarks);
}

Tensor FromFile(const Node& data, const TensorDesc& desc, const std::string& file, Remarks* remarks) {
  if (file.ends_with(".bin")) {
    Tensor raw = FromRaw(data, desc, file);
    RemarkNan(raw, file, remarks);
    return raw;
  }
  Tensor tensor = ReadNpy(file);
  RemarkNan(tensor, file, remarks);
  const bool halves = desc.dtype != tensor.dtype() && IsFloating(desc.dtype) && IsFloating(tensor.dtype());
  if (halves && DataTypeBits(tensor.dtype()) > DataTypeBits(desc.dtype)) {
    Remark(fmt::format("{} holds {}, which is rounded to {}, the type of the input '{}'.", file, DataTypeName(tensor.dtype()),
                       DataTypeName(desc.dtype), data.name),
           remarks);
  }
  if (halves) tensor = CastTo(tensor, desc.dtype);
  const Shape& shape = desc.origin_shape;
  bool fits = desc.dtype == tensor.dtype() && (!shape.HasRank() || shape.rank() == tensor.shape().rank());
  for (size_t i = 0; fits && shape.HasRank() && i < shape.rank(); ++i) {
    fits = shape[i] < 0 || shape[i] == tensor.shape()[i];
  }
  if (fits) return tensor;
  Refuse(file, fmt::format("It holds {} {}; the input '{}' takes {} {}.", DataTypeName(tensor.dtype()),
                           ToString(tensor.shape()), data.name, DataTypeName(desc.dtype), ToString(shape)));
}

std::map<std::string, std::vector<SampleInput>> ByName(const std::vector<SampleInput>& samples) {
  std::map<std::string, std::vector<SampleInput>> items;
  for (const SampleInput& sample : samples) items[sample.name].push_back(sample);
  return items;
}

std::vector<Tensor> OneSet(const Graph& graph, const std::vector<SampleInput>& samples, Remarks* remarks) {
  std::vector<std::string> names;
  for (const NodeId id : graph.Inputs()) names.push_back(graph.node(id).name);
  for (const SampleInput& sample : samples) {
    if (std::find(names.begin(), names.end(), sample.name) == names.end()) {
      throw Error("E10016", {{"opname", sample.name}, {"parameter", "sample_inputs"}}, DidYouMean(sample.name, names));
    }
  }
  for (const auto& [name, items] : ByName(samples)) {
    if (items.size() > 1) Refuse(name, fmt::format("It is given {} times; here an input has one sample.", items.size()));
  }
  std::vector<Tensor> tensors;
  for (const NodeId id : graph.Inputs()) {
    const Node& data = graph.node(id);
    const TensorDesc& desc = graph.desc(data.outputs[0]);
    const auto sample =
        std::find_if(samples.begin(), samples.end(), [&](const SampleInput& item) { return item.name == data.name; });
    const bool given = sample != samples.end();
    tensors.push_back(given && !sample->file.empty()
                          ? FromFile(data, desc, sample->file, remarks)
                          : Drawn(data, desc, given ? &*sample : nullptr, static_cast<uint32_t>(tensors.size())));
  }
  return tensors;
}

void Warn(const Remarks& remarks, Diagnostics* warnings) {
  if (warnings == nullptr || remarks.empty()) return;
  warnings->Warn("W19999", {{"reason", fmt::format("--sample_inputs: {}", fmt::join(remarks, " "))}});
}

}  // namespace

std::vector<Tensor> MakeSamples(const Graph& graph, const std::vector<SampleInput>& samples, Diagnostics* warnings) {
  Remarks remarks;
  std::vector<Tensor> set = OneSet(graph, samples, &remarks);
  Warn(remarks, warnings);
  return set;
}

std::vector<std::vector<Tensor>> MakeSampleSets(const Graph& graph, const std::vector<SampleInput>& samples,
                                                Diagnostics* warnings) {
  Remarks remarks;
  const auto by_name = ByName(samples);
  size_t count = 1;
  for (const auto& [name, items] : by_name) count = std::max(count, items.size());
  std::vector<std::vector<Tensor>> sets;
  for (size_t k = 0; k < count; ++k) {
    std::vector<SampleInput> one, low, high;
    for (const auto& [name, items] : by_name) {
      if (items.size() != 1 && items.size() != count) {
        Refuse(name, fmt::format("It is given {} times, another input {} times; each has one sample, or as many as the "
                                 "others.", items.size(), count));
      }
      const SampleInput& item = items[items.size() == 1 ? 0 : k];
      one.push_back(item);
      low.push_back(item);
      low.back().high = item.low;
      high.push_back(item);
      high.back().low = item.high;
    }
    sets.push_back(OneSet(graph, one, &remarks));
    const bool ranges = std::any_of(one.begin(), one.end(), [](const SampleInput& item) { return item.low < item.high; });
    if (!ranges) continue;
    sets.push_back(OneSet(graph, low, &remarks));
    sets.push_back(OneSet(graph, high, &remarks));
  }
  Warn(remarks, warnings);
  return sets;
}

}  // namespace atc
