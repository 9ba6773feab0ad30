// What an interrupt leaves: nothing.
#pragma once

namespace atc::cli {

// SIGINT, SIGTERM and SIGHUP remove files that are not whole, print the failure line and end with status 255.
// A closed pipe at stdout is not a reason to stop.
void InstallSignalHandlers();

}  // namespace atc::cli
