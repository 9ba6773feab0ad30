// What the reader of an om asks of its graph: some quarter of the message, the rest being for viewers.
#pragma once

#include <string>
#include <string_view>

namespace atc {

// A ModelDef message without the fields and attributes that GraphFromProto does not read, since messages, maps and
// strings of all of them take longer to be made than everything else that a load reads: descriptions of inputs are
// empty, names of ports and of neighbours are not there. Unknown fields stay. `reasons`: whether the rules by which nodes
// were placed stay. Bytes that are no message give some that are none either.
std::string NeededFields(std::string_view model_def, bool reasons);

}  // namespace atc
