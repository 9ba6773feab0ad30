// Writes the documents of all programs into a folder, as they are installed below share/.
// usage: write_docs FOLDER
//        write_docs --reference ROOT   rewrites the reference pages of the source tree, and the README's table of
//                                      deviations
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "cmd/atc/deviations.h"
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

struct Page {
  const char* path;  // below the root of the sources
  atc::docs::Program (*program)();
};

constexpr Page kPages[] = {
    {"cmd/atc/REFERENCE.md", atc::cli::AtcDocument},
    {"cmd/omrun/REFERENCE.md", atc::omrun::OmrunDocument},
};

bool Write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (file.flush()) return true;
  std::fprintf(stderr, "write_docs: cannot write %s\n", path.c_str());
  return false;
}

// Puts the table of deviations in the place of that of the README, which ends with a blank line.
bool WriteDeviations(const std::filesystem::path& readme) {
  std::ostringstream in;
  in << std::ifstream(readme, std::ios::binary).rdbuf();
  std::string text = in.str();
  const std::string table = atc::cli::DeviationsMarkdown();
  const size_t begin = text.find(table.substr(0, table.find('\n')));
  const size_t end = begin == std::string::npos ? begin : text.find("\n\n", begin);
  if (end == std::string::npos) {
    std::fprintf(stderr, "write_docs: no table of deviations in %s\n", readme.c_str());
    return false;
  }
  return Write(readme, text.replace(begin, end + 1 - begin, table));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--reference") {
    bool good = true;
    for (const Page& page : kPages) {
      good = Write(std::filesystem::path(argv[2]) / page.path, atc::docs::ReferencePage(page.program())) && good;
    }
    good = WriteDeviations(std::filesystem::path(argv[2]) / "README.md") && good;
    return good ? 0 : 1;
  }
  if (argc != 2 || argv[1][0] == '-') {
    std::fputs("usage: write_docs FOLDER\n       write_docs --reference ROOT\n", stderr);
    return 1;
  }
  for (const auto& program : {atc::cli::AtcDocument(), atc::omrun::OmrunDocument()}) {
    for (const Document& document : kDocuments) {
      const std::string name = document.before + program.name + document.after;
      if (!Write(std::filesystem::path(argv[1]) / name, document.render(program))) return 1;
    }
  }
  return 0;
}
