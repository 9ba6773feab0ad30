// What a path given with a flag must be.
#pragma once

#include <string>

namespace atc::cli {

// "[Errno 2] No such file or directory"
std::string ErrnoText(int number);

// Letters, digits, '.', '/', '_', '-' and Chinese characters (U+4E00..U+9FA5, in UTF-8) alone; E10001 otherwise.
// `flag` is the name without dashes, here and below.
void CheckPathCharacters(const std::string& flag, const std::string& path);

// A file that exists and may be read. E10004 (empty), E10001.
void CheckInputFile(const std::string& flag, const std::string& path);

// The name of a file to be written, `suffix` being what is appended to it: not too long, not a folder, and replaceable
// where it exists; the nearest folder above it that exists takes new entries. Makes nothing. E10001, E10004, E10022.
void CheckOutputFile(const std::string& flag, const std::string& path, const std::string& suffix = "");

}  // namespace atc::cli
