// What an interrupt leaves: nothing.
#pragma once

namespace atc::cli {

// SIGINT, SIGTERM and SIGHUP remove files that are not whole, print the failure line and end with status 255.
// So does SIGBUS of a mapped file that is cut short, which is named in a message: models are mapped, since that is how they
// load fast, and what maps them cannot keep others from writing to them. A closed pipe at stdout is not a reason to stop.
void InstallSignalHandlers();

}  // namespace atc::cli
