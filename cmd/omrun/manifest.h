// Lists of samples in a file.
#pragma once

#include <string>
#include <vector>

#include "cmd/omrun/sample.h"

namespace atc::omrun {

// Reads a manifest, told apart by its extension; paths in it are relative to its folder.
//   .json  a list of objects, or {"samples": [...]}: "name"; "inputs", an object by name or a list in order, whose values
//          are files, literals in words, or numbers and lists of them; "outputs" (or "expected"), files to compare with
//   .csv   titles, then a line a sample: "name", inputs' names, "expected:" and an output's name; cells as in RFC 4180
//   .txt   a line a sample: files or literals without blanks for the inputs in order, then "->" and those of the outputs;
//          '#' begins a comment
// Names default to those of the first file. Throws RunError that names the file, the place in it, what was found and what
// is wanted.
std::vector<Sample> ReadManifest(const std::string& path, const Signature& signature);

}  // namespace atc::omrun
