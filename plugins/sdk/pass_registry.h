// Passes that libraries and the program itself register.
#pragma once

#include <string>
#include <vector>

#include "register/register_custom_pass.h"

namespace atc {

using Registrations = std::vector<ge::PassRegistrationData>;

// Passes of the library at `path`, in registration order, loading it unless that was done before. False with a reason
// where it cannot be loaded. Libraries stay loaded for the life of the process.
bool LoadPasses(const std::string& path, Registrations* passes, std::string* why);

// Passes registered outside of any loading: by the program, or by a library that it is linked to.
Registrations PassesOfProgram();

}  // namespace atc
