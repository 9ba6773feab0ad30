#include "cmd/omrun/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cmd/omrun/string_tensor.h"

namespace atc::omrun {

std::vector<TensorInfo> PartsOf(const std::vector<TensorInfo>& inputs, uint32_t batch) {
  std::vector<TensorInfo> parts = inputs;
  if (batch == 1) return parts;
  bool any = false;
  for (TensorInfo& info : parts) {
    if (info.dims.empty() || info.dims[0] == -2) continue;
    if (info.dims[0] >= 0 && info.dims[0] % batch != 0) continue;
    any = true;
    if (info.dims[0] < 0) {
      // The least and most of the range are those of the whole.
      for (Dims* bound : {&info.least, &info.most}) {
        if (!bound->empty() && (*bound)[0] > 0) (*bound)[0] = std::max<int64_t>(1, (*bound)[0] / batch);
      }
      continue;
    }
    info.dims[0] /= batch;
    info.bytes /= batch;
  }
  if (!any) {
    std::string shapes;
    for (const TensorInfo& info : inputs) shapes += fmt::format("{}'{}' {}", shapes.empty() ? "" : ", ", info.name, DimsText(info.dims));
    throw RunError(fmt::format("--batch {}: no input of the model has a dim 0 that is open or a multiple of it: {}", batch, shapes));
  }
  return parts;
}

Tensor Join(const std::vector<const Tensor*>& tensors, const std::string& name) {
  Tensor joined = *tensors[0];
  if (joined.dims.empty()) throw RunError(fmt::format("--batch: input '{}' is a scalar, which cannot be joined", name));
  const ElementType* type = FindElementType(joined.type);
  for (size_t i = 1; i < tensors.size(); ++i) {
    const Tensor& next = *tensors[i];
    if (next.dims.size() != joined.dims.size() || !std::equal(next.dims.begin() + 1, next.dims.end(), joined.dims.begin() + 1)) {
      throw RunError(fmt::format("--batch: input '{}' is {} in one sample and {} in another of the same run", name,
                                 DimsText(tensors[0]->dims), DimsText(next.dims)));
    }
    uint64_t before = 0;
    if (type && type->bits && type->bits < 8 && ElementCount(joined.dims, &before) && before * static_cast<uint64_t>(type->bits) % 8 != 0) {
      throw RunError(fmt::format("--batch: input '{}' has {} elements of {} bits, which end within a byte", name, before, type->bits));
    }
    joined.dims[0] += next.dims[0];
    joined.bytes.insert(joined.bytes.end(), next.bytes.begin(), next.bytes.end());
  }
  return joined;
}

std::vector<Tensor> Part(const Tensor& tensor, uint32_t batch, uint32_t axis, size_t count, const std::string& name) {
  if (axis >= tensor.dims.size() || tensor.dims[axis] % batch != 0) {
    throw RunError(fmt::format("--batch {}: output '{}' {} has no dim {} that is a multiple of it; "
                               "--output_batch_axis names another",
                               batch, name, DimsText(tensor.dims), axis));
  }
  const ElementType* type = FindElementType(tensor.type);
  Dims dims = tensor.dims;
  dims[axis] /= batch;
  std::vector<Tensor> parts(count, Tensor{tensor.type, dims, {}});
  uint64_t outer = 1, inner = 1;
  for (size_t d = 0; d < dims.size(); ++d) (d < axis ? outer : inner) *= static_cast<uint64_t>(dims[d]);
  if (type && type->kind == Kind::kString) {
    const std::vector<std::string> all = UnpackStrings(tensor);
    for (size_t p = 0; p < count; ++p) {
      std::vector<std::string> own;
      for (uint64_t o = 0; o < outer; ++o) {
        const auto from = all.begin() + static_cast<ptrdiff_t>((o * batch + p) * inner);
        own.insert(own.end(), from, from + static_cast<ptrdiff_t>(inner));
      }
      parts[p].bytes = PackStrings(own);
    }
    return parts;
  }
  if (!type || inner * static_cast<uint64_t>(type->bits) % 8 != 0) {
    throw RunError(fmt::format("--batch: output '{}' of {} cannot be parted between bytes", name, TypeName(tensor.type)));
  }
  const uint64_t bytes = BytesOf(*type, inner);
  for (size_t p = 0; p < count; ++p) {
    for (uint64_t o = 0; o < outer; ++o) {
      const auto from = tensor.bytes.begin() + static_cast<ptrdiff_t>((o * batch + p) * bytes);
      parts[p].bytes.insert(parts[p].bytes.end(), from, from + static_cast<ptrdiff_t>(bytes));
    }
  }
  return parts;
}

}  // namespace atc::omrun
