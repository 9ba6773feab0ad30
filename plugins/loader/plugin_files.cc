#include "plugins/loader/plugin_files.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace atc {
namespace {

namespace fs = std::filesystem;

// Names in `folder`, sorted; false with a reason where it cannot be read.
bool List(const fs::path& folder, std::vector<std::string>* names, std::string* problem) {
  std::error_code error;
  fs::directory_iterator it(folder, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error))
    names->push_back(it->path().filename().string());
  if (error) *problem = "the folder cannot be read: " + error.message();
  std::sort(names->begin(), names->end());
  return !error;
}

bool IsFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// Nothing where the entry is no file that is to be loaded.
void AddFile(const fs::path& path, std::vector<PluginFile>* found) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::directory) return;
  std::string problem;
  if (error || status.type() == fs::file_type::not_found) {
    problem = "the file cannot be read: " + (error ? error.message() : std::string("the link leads nowhere"));
  } else if (status.type() != fs::file_type::regular) {
    problem = "it is no regular file";
  } else if (access(path.c_str(), R_OK) != 0) {
    problem = "the file cannot be read: " + std::error_code(errno, std::generic_category()).message();
  }
  found->push_back({path.string(), std::move(problem)});
}

// The files of one vendor folder.
void AddVendor(const fs::path& vendor, std::string_view folder, std::vector<PluginFile>* found) {
  const fs::path plugins = vendor / folder;
  if (!IsFolder(plugins)) return;
  std::vector<std::string> files;
  std::string problem;
  if (!List(plugins, &files, &problem)) {
    found->push_back({plugins.string(), problem});
    return;
  }
  for (const std::string& file : files) {
    if (file.size() > 3 && file.ends_with(".so")) AddFile(plugins / file, found);
  }
}

}  // namespace

std::string OppRoot() {
  const char* set = std::getenv("ASCEND_OPP_PATH");
  if (set != nullptr && *set != '\0') return set;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&OppRoot), &info) == 0 || info.dli_fname == nullptr) return "";
  std::error_code error;
  const fs::path library = fs::canonical(info.dli_fname, error);
  return error ? "" : (library.parent_path().parent_path() / "opp").string();
}

std::vector<PluginFile> FindPlugins(const std::string& opp_root, std::string_view folder) {
  std::vector<PluginFile> found;
  const fs::path vendors = fs::path(opp_root) / "vendors";
  std::vector<std::string> names;
  std::string problem;
  if (opp_root.empty() || !IsFolder(vendors)) return found;
  if (!List(vendors, &names, &problem)) return {{vendors.string(), problem}};
  for (const std::string& vendor : names) AddVendor(vendors / vendor, folder, &found);
  return found;
}

std::vector<PluginFile> FindVendorPlugins(const std::string& vendor, std::string_view folder) {
  std::vector<PluginFile> found;
  AddVendor(vendor, folder, &found);
  return found;
}

std::vector<std::string> CustomOppFolders() {
  std::vector<std::string> folders;
  const char* set = std::getenv("ASCEND_CUSTOM_OPP_PATH");
  std::string_view rest = set == nullptr ? "" : set;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

}  // namespace atc
