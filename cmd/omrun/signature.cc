#include "cmd/omrun/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cmd/omrun/backend.h"

namespace atc::omrun {
namespace {

constexpr size_t kAnyInput = static_cast<size_t>(-1);

Gears ReadGears(const Backend& acl, aclmdlDesc* desc, size_t input) {
  Gears gears;
  gears.input = input;
  gears.bytes = acl.input_size(desc, input);
  aclmdlBatch batch{};
  if (acl.dynamic_batch && acl.dynamic_batch(desc, &batch) == ACL_SUCCESS && batch.batchCount > 0) {
    gears.kind = Gears::Kind::kBatch;
    for (size_t i = 0; i < batch.batchCount; ++i) gears.offers.push_back({static_cast<int64_t>(batch.batch[i])});
    return gears;
  }
  aclmdlHW hw{};
  if (acl.dynamic_hw && acl.dynamic_hw(desc, kAnyInput, &hw) == ACL_SUCCESS && hw.hwCount > 0) {
    gears.kind = Gears::Kind::kHw;
    for (size_t i = 0; i < hw.hwCount; ++i) {
      gears.offers.push_back({static_cast<int64_t>(hw.hw[i][0]), static_cast<int64_t>(hw.hw[i][1])});
    }
    return gears;
  }
  size_t count = 0;
  if (acl.gear_count && acl.gear_dims && acl.gear_count(desc, kAnyInput, &count) == ACL_SUCCESS && count > 0) {
    gears.kind = Gears::Kind::kDims;
    std::vector<aclmdlIODims> dims(count);
    acl.Check(acl.gear_dims(desc, kAnyInput, dims.data(), count), "reading the model's gears");
    for (const aclmdlIODims& gear : dims) gears.offers.push_back(Dims(gear.dims, gear.dims + gear.dimCount));
    return gears;
  }
  throw RunError("this model has several gears, and the device does not tell which");
}

std::string OffersText(const Gears& gears) {
  std::string text;
  for (const Dims& offer : gears.offers) {
    text += text.empty() ? "" : "; ";
    for (size_t i = 0; i < offer.size(); ++i) text += fmt::format("{}{}", i ? "," : "", offer[i]);
  }
  return text;
}

// The dims of all inputs in a row, from "x:1,3;y:4".
Dims DimsOfChoice(const Signature& signature, const std::string& text) {
  std::vector<std::optional<Dims>> dims(signature.inputs.size());
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(';'), rest.size());
    const std::string part(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto [index, list] = SplitArgument(part, signature.inputs);
    if (!index) {
      throw RunError(fmt::format("--gear_dims '{}' names no input: the model's are {}", part, NameList(signature.inputs)));
    }
    Dims parsed;
    const char* at = list.data();
    const char* const stop = at + list.size();
    for (int64_t dim = 0; at < stop;) {
      const auto result = std::from_chars(at, stop, dim);
      if (result.ec != std::errc() || (result.ptr < stop && *result.ptr != ',')) {
        throw RunError(fmt::format("--gear_dims '{}' is no list of dims such as x:1,3,224,224", part));
      }
      parsed.push_back(dim);
      at = result.ptr + (result.ptr < stop ? 1 : 0);
    }
    dims[*index] = parsed;
  }
  Dims row;
  for (size_t i = 0; i < dims.size(); ++i) {
    const Dims& own = dims[i] ? *dims[i] : signature.inputs[i].dims;
    row.insert(row.end(), own.begin(), own.end());
  }
  return row;
}

}  // namespace

bool TensorInfo::known() const {
  return std::none_of(dims.begin(), dims.end(), [](int64_t dim) { return dim < 0; });
}

std::string NameList(const std::vector<TensorInfo>& infos) {
  std::string list;
  for (const TensorInfo& info : infos) list += (list.empty() ? "'" : ", '") + info.name + "'";
  return list.empty() ? "none" : list;
}

bool Fits(const Dims& dims, const Dims& declared) {
  if (declared.size() == 1 && declared[0] == -2) return true;  // any rank
  if (dims.size() != declared.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (declared[i] >= 0 && dims[i] != declared[i]) return false;
  }
  return true;
}

std::string RangesText(const TensorInfo& info) {
  if (info.dims.size() == 1 && info.dims[0] == -2) return "[...]";
  std::string text = "[";
  for (size_t i = 0; i < info.dims.size(); ++i) {
    if (i > 0) text += ", ";
    if (info.dims[i] >= 0) {
      text += fmt::format("{}", info.dims[i]);
    } else if (i < info.most.size() && info.most[i] >= 0) {
      text += fmt::format("{}~{}", info.least[i], info.most[i]);
    } else {
      text += "?";
    }
  }
  return text + "]";
}

std::string Expected(const TensorInfo& input) {
  const bool any_rank = input.dims.size() == 1 && input.dims[0] == -2;
  std::string text = fmt::format("{} {}", TypeName(input.type), any_rank ? "of any shape" : DimsText(input.dims));
  if (input.known()) text += fmt::format(", {} bytes", input.bytes);
  return text;
}

std::optional<size_t> FindByName(const std::vector<TensorInfo>& infos, const std::string& name) {
  std::optional<size_t> found;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) return i;
  }
  for (size_t i = 0; i < infos.size(); ++i) {
    const std::string& whole = infos[i].name;
    const size_t first = whole.find(':'), last = whole.rfind(':');
    if (first == std::string::npos || (whole.compare(0, first, name) != 0 && whole.compare(last + 1, std::string::npos, name) != 0)) {
      continue;
    }
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::pair<std::optional<size_t>, std::string> SplitArgument(const std::string& argument,
                                                            const std::vector<TensorInfo>& infos) {
  for (const bool whole_names : {true, false}) {
    for (const char separator : {'=', ':'}) {
      for (size_t at = argument.find(separator); at != std::string::npos; at = argument.find(separator, at + 1)) {
        const std::string name = argument.substr(0, at);
        const std::optional<size_t> found = FindByName(infos, name);
        if (found && (!whole_names || infos[*found].name == name)) return {found, argument.substr(at + 1)};
      }
    }
  }
  return {std::nullopt, argument};
}

Signature ReadSignature(const Backend& acl, aclmdlDesc* desc) {
  Signature signature;
  const auto name = [&](const char* given) {
    // Long names come shortened; the whole one has a call of its own.
    const char* real = acl.real_name && given ? acl.real_name(desc, given) : nullptr;
    return std::string(real && *real ? real : given ? given : "");
  };
  const auto dims = [](const aclmdlIODims& from) { return Dims(from.dims, from.dims + from.dimCount); };
  const size_t inputs = acl.num_inputs(desc), outputs = acl.num_outputs(desc);
  for (size_t i = 0; i < inputs; ++i) {
    TensorInfo info;
    info.name = name(acl.input_name(desc, i));
    if (info.name == ACL_DYNAMIC_TENSOR_NAME) {
      signature.gears = ReadGears(acl, desc, i);
      continue;
    }
    aclmdlIODims shape{};
    acl.Check(acl.input_dims(desc, i, &shape), fmt::format("reading the shape of input {}", i));
    info.type = acl.input_type(desc, i);
    info.format = acl.input_format(desc, i);
    info.dims = dims(shape);
    info.bytes = acl.input_size(desc, i);
    aclmdlIODimsRange range{};
    if (acl.input_range && acl.input_range(desc, i, &range) == ACL_SUCCESS && range.rangeCount == shape.dimCount) {
      for (size_t d = 0; d < shape.dimCount; ++d) {
        info.least.push_back(std::max<int64_t>(1, range.range[d][0]));
        info.most.push_back(range.range[d][1]);
      }
    }
    signature.inputs.push_back(std::move(info));
  }
  if (signature.gears.kind != Gears::Kind::kNone && signature.gears.input + 1 != inputs) {
    throw RunError("this model has an input after the one that takes its gear, which no converter makes");
  }
  for (size_t i = 0; i < outputs; ++i) {
    aclmdlIODims shape{};
    acl.Check(acl.output_dims(desc, i, &shape), fmt::format("reading the shape of output {}", i));
    TensorInfo info;
    info.name = name(acl.output_name(desc, i));
    info.type = acl.output_type(desc, i);
    info.format = acl.output_format(desc, i);
    info.dims = dims(shape);
    info.bytes = acl.output_size(desc, i);
    signature.outputs.push_back(std::move(info));
  }
  return signature;
}

Signature UnderGear(const Signature& signature, const GearChoice& choice, Dims* chosen) {
  const Gears& gears = signature.gears;
  if (gears.kind == Gears::Kind::kNone) {
    if (choice.empty()) return signature;
    throw RunError("a gear was chosen, but this model has none; open dims are set by --shape");
  }
  struct Row {
    Gears::Kind kind;
    const char* flag;
    bool given;
  };
  const Row rows[] = {{Gears::Kind::kBatch, "--gear_batch", choice.batch > 0},
                      {Gears::Kind::kHw, "--gear_hw", !choice.hw.empty()},
                      {Gears::Kind::kDims, "--gear_dims", !choice.dims.empty()}};
  for (const Row& row : rows) {
    if (row.kind == gears.kind && !row.given) {
      throw RunError(fmt::format("this model has several gears, of which {} chooses one: {}", row.flag, OffersText(gears)));
    }
  }
  Dims wanted;
  if (gears.kind == Gears::Kind::kBatch) wanted = {static_cast<int64_t>(choice.batch)};
  if (gears.kind == Gears::Kind::kHw) wanted = Dims(choice.hw.begin(), choice.hw.end());
  if (gears.kind == Gears::Kind::kDims) wanted = DimsOfChoice(signature, choice.dims);
  if (std::find(gears.offers.begin(), gears.offers.end(), wanted) == gears.offers.end()) {
    std::string text;
    for (size_t i = 0; i < wanted.size(); ++i) text += fmt::format("{}{}", i ? "," : "", wanted[i]);
    throw RunError(fmt::format("{} is no gear of this model: it has {}", text, OffersText(gears)));
  }
  Signature under = signature;
  size_t at = 0;
  for (TensorInfo& input : under.inputs) {
    size_t open = 0;
    for (int64_t& dim : input.dims) {
      if (gears.kind == Gears::Kind::kDims) dim = at < wanted.size() ? wanted[at++] : dim;
      else if (dim < 0) dim = wanted[std::min(open++, wanted.size() - 1)];
    }
    const ElementType* type = FindElementType(input.type);
    uint64_t count = 0;
    if (type && type->bits && ElementCount(input.dims, &count)) input.bytes = BytesOf(*type, count);
  }
  *chosen = wanted;
  return under;
}

GearChoice GearOf(const Signature& signature, const std::vector<Tensor>& inputs) {
  GearChoice choice;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Dims& declared = signature.inputs[i].dims;
    if (signature.gears.kind == Gears::Kind::kDims) {
      choice.dims += signature.inputs[i].name + ":";
      for (size_t d = 0; d < inputs[i].dims.size(); ++d) choice.dims += fmt::format("{}{}", d ? "," : "", inputs[i].dims[d]);
      choice.dims += ";";
      continue;
    }
    for (size_t d = 0; d < declared.size() && d < inputs[i].dims.size(); ++d) {
      if (declared[d] >= 0) continue;
      const auto dim = static_cast<uint64_t>(inputs[i].dims[d]);
      if (signature.gears.kind == Gears::Kind::kBatch && choice.batch == 0) choice.batch = dim;
      if (signature.gears.kind == Gears::Kind::kHw && choice.hw.size() < 2) choice.hw.push_back(dim);
    }
  }
  return choice;
}

}  // namespace atc::omrun
