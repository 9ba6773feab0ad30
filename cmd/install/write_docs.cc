// Writes the documents of all programs into a folder, as they are installed below share/.
// usage: write_docs FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "cmd/atc/document.h"
#include "cmd/docs/render.h"
#include "cmd/omrun/document.h"

namespace {

struct Document {
  const char* before;  // the path below the folder, around the program's name
  const char* after;
  std::string (*render)(const atc::docs::Program&);
};

constexpr Document kDocuments[] = {
    {"man/man1/", ".1", atc::docs::ManPage},
    {"bash-completion/completions/", "", atc::docs::BashCompletion},
    {"zsh/site-functions/_", "", atc::docs::ZshCompletion},
    {"fish/vendor_completions.d/", ".fish", atc::docs::FishCompletion},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_docs FOLDER\n", stderr);
    return 1;
  }
  for (const auto& program : {atc::cli::AtcDocument(), atc::omrun::OmrunDocument()}) {
    for (const Document& document : kDocuments) {
      const std::filesystem::path path =
          std::filesystem::path(argv[1]) / (document.before + program.name + document.after);
      std::filesystem::create_directories(path.parent_path());
      std::ofstream file(path, std::ios::binary);
      file << document.render(program);
      if (!file.flush()) {
        std::fprintf(stderr, "write_docs: cannot write %s\n", path.c_str());
        return 1;
      }
    }
  }
  return 0;
}
