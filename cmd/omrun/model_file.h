// What can be told of a model file before a device is asked to load it.
#pragma once

#include <string>

namespace atc::omrun {

struct Backend;

// Throws RunError when the file is missing, a folder, empty, no om, or an om of a kind that the device cannot run.
void CheckModelFile(const Backend& backend, const std::string& path);

}  // namespace atc::omrun
