#include "cmd/omrun/dump_compare.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cmd/omrun/tensor_file.h"

namespace atc::omrun {
namespace {

using Key = std::pair<std::string, uint64_t>;  // node and output

std::map<Key, size_t> ByNode(const std::vector<DumpedTensor>& all) {
  std::map<Key, size_t> index;
  for (size_t i = 0; i < all.size(); ++i) index[{all[i].node, all[i].output}] = i;
  return index;
}

// What the source nodes come to. A task stands for all its origins, but its result is that of the last one.
std::map<Key, size_t> ByOrigin(const std::vector<DumpedTensor>& all) {
  std::map<Key, size_t> index;
  std::set<Key> settled;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].origins.empty()) continue;
    const Key key{all[i].origins.back(), all[i].output};
    const bool changes_form = all[i].type == "Cast" || all[i].type == "TransData";
    if (changes_form && settled.count(key)) continue;
    if (!changes_form) settled.insert(key);
    index[key] = i;
  }
  return index;
}

bool SameKeys(const std::map<Key, size_t>& a, const std::map<Key, size_t>& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, index] : a) {
    if (b.count(key) == 0) return false;
  }
  return true;
}

Tensor Read(const std::string& folder, const DumpedTensor& entry) {
  FileTensor file = std::move(ReadTensorFile(folder + "/" + entry.file).front());
  const ElementType* type = FindElementType(entry.dtype);
  if (!type || !TakeAs(*type, &file)) {
    throw RunError(fmt::format("'{}/{}' does not hold {} as index.json says", folder, entry.file, entry.dtype));
  }
  return {file.type, std::move(file.dims), std::move(file.bytes)};
}

std::string EntryText(const DumpedTensor& entry) {
  return fmt::format("{} '{}' output {} {} {}", entry.type, entry.node, entry.output, entry.dtype, DimsText(entry.shape));
}

std::string OriginsText(const DumpedTensor& entry) {
  std::string text;
  for (const std::string& name : entry.origins) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

}  // namespace

DumpComparison CompareDumps(const std::string& a, const std::string& b, const Limits& limits) {
  const std::vector<DumpedTensor> of_a = ReadDump(a), of_b = ReadDump(b);
  DumpComparison result;
  std::map<Key, size_t> keys_a = ByNode(of_a), keys_b = ByNode(of_b);
  if (!SameKeys(keys_a, keys_b)) {
    result.by_origins = true;
    keys_a = ByOrigin(of_a);
    keys_b = ByOrigin(of_b);
  }
  std::map<size_t, size_t> partners;  // by the place in a
  for (const auto& [key, index] : keys_a) {
    const auto found = keys_b.find(key);
    if (found != keys_b.end()) partners[index] = found->second;
  }
  if (partners.empty()) throw RunError(fmt::format("'{}' and '{}' have no node in common: are they of the same model?", a, b));
  for (const auto& [at, partner] : partners) {
    DumpPair pair{of_a[at], of_b[partner], {}};
    if (pair.a.file.empty() || pair.b.file.empty()) continue;  // sequences
    pair.comparison = CompareValues(Read(a, pair.a), Read(b, pair.b), limits);
    if (!pair.comparison.match && !result.first) result.first = result.pairs.size();
    result.pairs.push_back(std::move(pair));
  }
  result.only_a = of_a.size() - result.pairs.size();
  result.only_b = of_b.size() - result.pairs.size();
  return result;
}

std::string DumpComparisonText(const DumpComparison& comparison) {
  size_t differ = 0;
  for (const DumpPair& pair : comparison.pairs) differ += pair.comparison.match ? 0 : 1;
  std::string text = fmt::format("compared {} tensors {}; {} of the first and {} of the second have no partner\n",
                                 comparison.pairs.size(),
                                 comparison.by_origins ? "by the nodes of the source model, as the plans differ" : "by the nodes of the plan",
                                 comparison.only_a, comparison.only_b);
  if (!comparison.first) return text + "same     all agree within the tolerance\n";
  const DumpPair& pair = comparison.pairs[*comparison.first];
  text += fmt::format("first    {} differs from {}\n", EntryText(pair.a), EntryText(pair.b));
  text += fmt::format("         {}\n", pair.comparison.reason);
  if (pair.comparison.comparable) text += fmt::format("         {}\n", DistanceText(pair.comparison));
  if (!pair.a.origins.empty()) text += fmt::format("         from {} of the source model\n", OriginsText(pair.a));
  return text + fmt::format("differ   {} of {}; {} before the first agree\n", differ, comparison.pairs.size(), *comparison.first);
}

std::string DumpComparisonJson(const DumpComparison& comparison) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  const auto side = [](const DumpedTensor& entry) {
    return Json{{"node", entry.node}, {"output", entry.output}, {"type", entry.type}, {"dtype", entry.dtype}, {"shape", entry.shape}};
  };
  Json list = Json::array();
  for (const DumpPair& pair : comparison.pairs) {
    list.push_back({{"a", side(pair.a)},
                    {"b", side(pair.b)},
                    {"origins", pair.a.origins},
                    {"match", pair.comparison.match},
                    {"max_abs", number(pair.comparison.max_abs)},
                    {"max_rel", number(pair.comparison.max_rel)},
                    {"cosine", number(pair.comparison.cosine)},
                    {"reason", pair.comparison.match ? Json() : Json(pair.comparison.reason)}});
  }
  const Json json = {{"by_origins", comparison.by_origins},
                     {"first_difference", comparison.first ? Json(*comparison.first) : Json()},
                     {"only_first", comparison.only_a},
                     {"only_second", comparison.only_b},
                     {"tensors", std::move(list)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace atc::omrun
