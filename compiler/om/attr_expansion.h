// Undoes the compression of attributes that vendors' tools apply to an om.
#pragma once

namespace openatc::ge {
class ModelDef;
}

namespace atc {

// Where model attribute om_compress_version is 1, names of attributes are numbers and string values are numbers too,
// both into tables that are model attributes. Puts names and values back and removes the tables; does nothing to other
// models. Throws BadMessage for a number beyond its table.
void ExpandAttributes(openatc::ge::ModelDef* model);

}  // namespace atc
