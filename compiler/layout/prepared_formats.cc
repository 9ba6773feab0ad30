#include "compiler/layout/prepared_formats.h"

#include <string>
#include <vector>

#include "compiler/ir/device_slot.h"

namespace atc {
namespace {

// The format of a filter, by that of the data.
constexpr std::pair<Format, Format> kFilterFormats[] = {{FORMAT_FRACTAL_NZ, FORMAT_FRACTAL_NZ},
                                                        {FORMAT_NC1HWC0, FORMAT_FRACTAL_Z},
                                                        {FORMAT_NC1HWC0_C04, FORMAT_FRACTAL_Z_C04},
                                                        {FORMAT_NDC1HWC0, FORMAT_FRACTAL_Z_3D}};

Format FilterFormat(const TensorDesc& data) {
  for (const auto& [format, filter] : kFilterFormats) {
    if (format == data.format) return filter;
  }
  return FORMAT_ND;
}

}  // namespace

void PrepareConstants(Graph& graph, Node& node, const Wish& wish) {
  if (wish.filter >= node.inputs.size() || node.inputs[wish.filter] == kNoId) return;
  const ValueId filter = node.inputs[wish.filter];
  if (graph.Constant(filter) == nullptr) return;
  TensorDesc& desc = graph.desc(filter);
  // Filters are [out, in, spatial...] whatever the layout of the data.
  if (desc.format == FORMAT_ND && wish.form.plain != FORMAT_ND) {
    desc.SetFormat(desc.origin_shape.rank() == 5 ? FORMAT_NCDHW : FORMAT_NCHW);
  }
  const Format storage = FilterFormat(graph.desc(node.inputs[wish.data]));
  if (!StoredShape(storage, desc.origin_format, desc.origin_shape, desc.dtype).HasRank()) return;
  std::vector<std::string> formats(node.inputs.size());
  formats[wish.filter] = FormatName(storage);
  node.attrs.Set(kPreparedFormats, std::move(formats));
}

}  // namespace atc
