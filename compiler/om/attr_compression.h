// Names and texts of attributes as numbers, as vendors' tools write them; attr_expansion.h is the way back.
#pragma once

namespace openatc::ge {
class ModelDef;
}

namespace atc {

// Model attributes that hold the tables and say that they are there.
inline constexpr char kCompressVersionAttr[] = "om_compress_version";
inline constexpr char kCompressNamesAttr[] = "attr_name_enum";
inline constexpr char kCompressValuesAttr[] = "attr_value_enum";
inline constexpr char kCompressUseStringAttr[] = "attrs_use_string_value";

// Of a number in the place of a name: a zero byte, then digits to this base, lowest first, each one more than it means.
inline constexpr unsigned kCompressBase = 127;

// Puts numbers in the place of the names of attributes of operators and of their tensors, and in the place of the texts
// of those names that have nothing else in the whole model; the tables become attributes of the model, whose own stay as
// they are. Names that are used often get the small numbers; equal messages give equal ones.
void CompressAttributes(openatc::ge::ModelDef* model);

}  // namespace atc
