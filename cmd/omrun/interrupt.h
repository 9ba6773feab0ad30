// Ctrl-C and its like: clean up, say so, exit with 1.
#pragma once

namespace atc::omrun {

class OutputFiles;

// From here on SIGINT, SIGTERM and SIGHUP discard `files`, print one line and end the process with status 1. They are
// blocked in the calling thread and in those that it starts later, so call it before any is; a thread of its own waits
// for them. SIGBUS of a mapped file that is cut short does the same. Signals that the parent process ignores stay
// ignored. `files` must live as long as the process.
void CleanUpOnInterrupt(OutputFiles* files);

}  // namespace atc::omrun
