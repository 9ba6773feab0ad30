// Files that appear whole and together, or not at all.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace atc::omrun {

// Each file is written under a temporary name in its own folder and renamed in Commit, so that a failed, full or
// interrupted run leaves the folder as it was: what was there before stays, folders made here go again.
// Reserve, Fill and Commit belong to one thread; Discard may come from another one at any time.
class OutputFiles {
 public:
  ~OutputFiles();

  // Makes the folder and its missing parents. Throws RunError.
  void MakeFolder(const std::string& path);
  // Creates the temporary file, which shows early whether the place can be written to; returns its number. An existing
  // device or pipe is written directly, in Commit. Throws RunError naming the file.
  size_t Reserve(const std::string& path);
  // Writes the whole contents. Throws RunError naming the file and the bytes needed.
  void Fill(size_t file, std::span<const std::byte> bytes);
  void Fill(size_t file, const std::string& text);
  // Renames all. Throws RunError, after which none of the files is there.
  void Commit();
  // Removes all that is not committed; later calls of Reserve and Commit fail.
  void Discard() noexcept;

 private:
  struct File {
    std::string path, temporary;  // no temporary: written directly
    int descriptor = -1;
    std::vector<std::byte> direct;
  };

  void DiscardLocked() noexcept;

  std::mutex mutex_;
  std::vector<File> files_;
  std::vector<std::string> folders_;  // made here, outermost first
  bool closed_ = false;
};

}  // namespace atc::omrun
