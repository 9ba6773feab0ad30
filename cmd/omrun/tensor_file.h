// Tensor files of every kind, told apart by their extension.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cmd/omrun/tensor.h"

namespace atc::omrun {

enum class OutputFormat { kNpy, kBin, kTxt, kJson };

// ".npy", ".bin", ".txt", ".json"
const char* Extension(OutputFormat format);

// Whether the name's extension is that of a file of tensors, and all such extensions in words.
bool IsTensorFileName(const std::string& name);
std::string TensorFileExtensions();

// The whole file. Throws RunError naming it when it is missing, no regular file or unreadable.
std::vector<std::byte> ReadBytes(const std::string& path);

// Reads .npy, .npz (several tensors), .bin (raw bytes), .json (strings, or what FormatTensor writes) and .pb
// (TensorProto). Throws RunError naming the file and what is wrong with it.
std::vector<FileTensor> ReadTensorFile(const std::string& path);

// The bytes of a tensor as a file of that format.
std::vector<std::byte> FormatTensor(const Tensor& tensor, OutputFormat format);

}  // namespace atc::omrun
