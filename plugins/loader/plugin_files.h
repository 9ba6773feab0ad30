// Where plugins are looked for: <opp>/vendors/*/<folder>/*.so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atc {

struct PluginFile {
  std::string path;
  std::string problem;  // why it, or the folder that it names, cannot be read; empty: none
};

// ASCEND_OPP_PATH, else the folder `opp` of the installation that this library belongs to.
std::string OppRoot();

// Vendor folders in byte order of their names, one level deep, and in each the files whose names end in ".so", in byte
// order. Links are followed; other names and folders are passed over. A missing folder holds no plugins; one that
// cannot be read is listed with its problem.
std::vector<PluginFile> FindPlugins(const std::string& opp_root, std::string_view folder);

// The same in one vendor's folder.
std::vector<PluginFile> FindVendorPlugins(const std::string& vendor, std::string_view folder);

// The vendors' folders that ASCEND_CUSTOM_OPP_PATH lists, separated by ':', in its order.
std::vector<std::string> CustomOppFolders();

}  // namespace atc
