// A folder laid out as the installation's, with the test plugins that a test puts into it.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace atc::test {

namespace fs = std::filesystem;

class OppFolder {
 public:
  OppFolder() {
    std::string name = (fs::temp_directory_path() / "openatc_opp_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
  }
  ~OppFolder() { fs::remove_all(root_); }

  fs::path Folder(const std::string& vendor) const {
    const fs::path folder = root_ / "vendors" / vendor / "custom_fusion_passes";
    fs::create_directories(folder);
    return folder;
  }
  void Add(const std::string& vendor, const std::string& file, const std::string& plugin) const {
    fs::create_symlink(fs::path(OPENATC_TEST_PLUGINS) / (plugin + ".so"), Folder(vendor) / file);
  }
  const fs::path& root() const { return root_; }

 private:
  fs::path root_;
};

}  // namespace atc::test
