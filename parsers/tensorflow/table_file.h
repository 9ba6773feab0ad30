// Sorted tables of keys and values, as LevelDB lays them out: the index of a checkpoint is one.
#pragma once

#include <map>
#include <string>

#include "parsers/model_file.h"

namespace atc::tf_parser {

// All entries of the table. Blocks may be compressed with Snappy. Errors: E13005 naming the file and what is wrong.
std::map<std::string, std::string> ReadTable(const ModelFile& file);

}  // namespace atc::tf_parser
