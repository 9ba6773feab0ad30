// A file that appears under its name only when it is whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/io/byte_sink.h"
#include "compiler/io/descriptor.h"

namespace atc {

// Writes to a hidden temporary file in the folder of the target; Commit renames it. Without Commit nothing is left
// behind, whether by an exception, by the destructor, or by a signal whose handler calls UnlinkUnfinishedFiles. The
// folder is held open: it is the one that was there at the start, whatever its name is by then.
// A symbolic link is followed, so the file it names is replaced. A target that is no regular file (/dev/null, a pipe)
// is written directly.
class OutputFile : public ByteSink {
 public:
  // `mode`: permissions before umask. Errors: E13001 (file, errmsg) when the folder is missing or not writable, or the
  // target is a folder or a file that may not be written.
  explicit OutputFile(std::string path, unsigned mode = 0666);
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  using ByteSink::Write;
  // Buffered. E13004 (file, errmsg) when the disk is full or fails.
  void Write(const void* data, size_t size) override;
  // Flushes, closes and renames; E13004 on failure. The file may not be written any more.
  void Commit();
  // As above; the file stays open for reading, whatever becomes of its name then.
  Descriptor CommitOpen();

  // Bytes given to Write so far.
  uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }

 private:
  int Create(unsigned mode);
  void WriteThrough(const char* data, size_t size);
  void Discard() noexcept;

  std::string path_;       // as given, for messages
  std::string target_;     // links followed
  Descriptor folder_;      // of the target
  std::string temporary_;  // its name there; empty: written directly, or done
  int fd_ = -1;
  int slot_ = -1;  // in the registry of unfinished files
  uint64_t size_ = 0;
  std::vector<char> buffer_;
};

// Removes the temporary files of all OutputFile objects that are neither committed nor destroyed. Async-signal-safe:
// for handlers of SIGINT, SIGTERM and SIGHUP, which must end the process afterwards. From then on whoever makes an
// OutputFile waits for that end, so that other threads leave nothing behind either.
void UnlinkUnfinishedFiles() noexcept;

// Creates the folders above `path` that are missing. E13001 (file, errmsg) naming the folder that cannot be made.
void MakeParentFolders(const std::string& path);

}  // namespace atc
