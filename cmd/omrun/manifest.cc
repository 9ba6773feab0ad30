#include "cmd/omrun/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cmd/omrun/tensor_file.h"

namespace atc::omrun {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class Reader {
 public:
  Reader(const std::string& path, const Signature& signature)
      : path_(path), folder_(fs::path(path).parent_path()), signature_(signature) {
    const std::vector<std::byte> bytes = ReadBytes(path);
    text_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text_.starts_with("\xEF\xBB\xBF")) text_.erase(0, 3);
  }

  std::vector<Sample> Json();
  std::vector<Sample> Csv();
  std::vector<Sample> Text();

 private:
  RunError Wrong(const std::string& place, const std::string& what) const {
    return RunError(fmt::format("the manifest '{}', {}: {}", path_, place, what));
  }
  std::string Absolute(const std::string& file) const {
    return fs::path(file).is_absolute() ? file : (folder_ / file).string();
  }
  size_t IndexOf(const std::vector<TensorInfo>& infos, const std::string& name, const char* kind,
                 const std::string& place) const {
    if (const std::optional<size_t> found = FindByName(infos, name)) return *found;
    throw Wrong(place, fmt::format("the model has no {} '{}'; it has {}", kind, name, NameList(infos)));
  }

  Sample Empty() const {
    Sample sample;
    sample.inputs.resize(signature_.inputs.size());
    return sample;
  }
  void SetInput(size_t index, const std::string& text, const std::string& place, Sample* sample) const {
    const std::string file = Absolute(text);
    std::error_code ignored;
    Source& source = sample->inputs[index];
    if (!fs::exists(file, ignored) && LooksLikeLiteral(text, signature_.inputs[index].type)) {
      source = {Source::Kind::kLiteral, text, -1};
      return;
    }
    if (!fs::is_regular_file(file, ignored)) {
      throw Wrong(place, fmt::format("input '{}' is to come from '{}', which is {}", signature_.inputs[index].name, file,
                                     fs::exists(file, ignored) ? "no regular file" : "not there"));
    }
    source = {Source::Kind::kFile, file, static_cast<int>(index)};
    if (sample->name.empty()) sample->name = StemOf(file);
  }
  void SetReference(size_t index, const std::string& text, const std::string& place, Sample* sample) const {
    const std::string file = Absolute(text);
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) {
      throw Wrong(place, fmt::format("output '{}' is to be compared with '{}', which is not there",
                                     signature_.outputs[index].name, file));
    }
    sample->references.resize(signature_.outputs.size());
    sample->references[index] = file;
  }
  void CheckCount(size_t found, const std::vector<TensorInfo>& infos, const char* kind, const std::string& place) const {
    if (found <= infos.size()) return;
    throw Wrong(place, fmt::format("it names {} {}s, the model has {}: {}", found, kind, infos.size(), NameList(infos)));
  }

  std::string TextOf(const nlohmann::json& value, const std::string& place) const {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number() || value.is_boolean() || value.is_array()) return value.dump();
    throw Wrong(place, fmt::format("{} is neither a file, a number nor a list", value.dump().substr(0, 40)));
  }
  template <class Set>
  void EachPort(const nlohmann::json& ports, const std::vector<TensorInfo>& infos, const char* kind,
                const std::string& place, Set set) const;

  std::string path_, text_;
  fs::path folder_;
  const Signature& signature_;
};

template <class Set>
void Reader::EachPort(const nlohmann::json& ports, const std::vector<TensorInfo>& infos, const char* kind,
                      const std::string& place, Set set) const {
  if (ports.is_array()) {
    CheckCount(ports.size(), infos, kind, place);
    for (size_t i = 0; i < ports.size(); ++i) set(i, TextOf(ports[i], place));
  } else if (ports.is_object()) {
    for (const auto& [name, value] : ports.items()) set(IndexOf(infos, name, kind, place), TextOf(value, place));
  } else {
    throw Wrong(place, fmt::format("the {}s are {}; wanted is an object by name or a list in order", kind,
                                   ports.dump().substr(0, 40)));
  }
}

std::vector<Sample> Reader::Json() {
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text_);
  } catch (const nlohmann::json::exception& error) {
    throw RunError(fmt::format("the manifest '{}' is no JSON: {}", path_, error.what()));
  }
  const nlohmann::json& list = json.is_object() && json.contains("samples") ? json["samples"] : json;
  if (!list.is_array()) throw RunError(fmt::format("the manifest '{}' holds no list of samples", path_));
  std::vector<Sample> samples;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string place = fmt::format("sample {}", i);
    const nlohmann::json& entry = list[i];
    if (!entry.is_object() || !entry.contains("inputs")) throw Wrong(place, "it is no object with \"inputs\"");
    for (const auto& [key, value] : entry.items()) {
      if (key != "name" && key != "inputs" && key != "outputs" && key != "expected") {
        throw Wrong(place, fmt::format("\"{}\" is unknown; there are name, inputs and outputs", key));
      }
    }
    Sample sample = Empty();
    if (entry.contains("name")) sample.name = TextOf(entry["name"], place);
    EachPort(entry["inputs"], signature_.inputs, "input", place,
             [&](size_t index, const std::string& text) { SetInput(index, text, place, &sample); });
    for (const char* key : {"outputs", "expected"}) {
      if (!entry.contains(key)) continue;
      EachPort(entry[key], signature_.outputs, "output", place,
               [&](size_t index, const std::string& text) { SetReference(index, text, place, &sample); });
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

// The records of RFC 4180, lines that are empty left out; *lines tells where each begins, from 1.
std::vector<std::vector<std::string>> CsvRecords(const std::string& text, std::vector<size_t>* lines) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record(1);
  size_t line = 1, began = 1;
  bool quoted = false, was_quoted = false;
  const auto end_record = [&] {
    if (record.size() > 1 || !record[0].empty()) {
      records.push_back(record);
      lines->push_back(began);
    }
    record.assign(1, "");
    began = line;
    was_quoted = false;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (quoted) {
      if (c != '"') record.back() += c;
      else if (i + 1 < text.size() && text[i + 1] == '"') record.back() += text[++i];
      else quoted = false;
    } else if (c == '"' && record.back().empty() && !was_quoted) {
      quoted = was_quoted = true;
    } else if (c == ',') {
      record.emplace_back();
      was_quoted = false;
    } else if (c == '\n') {
      end_record();
    } else if (c != '\r') {
      record.back() += c;
    }
  }
  if (quoted) throw RunError(fmt::format("the record that begins in line {} has a quotation mark that is not closed", began));
  end_record();
  return records;
}

std::vector<Sample> Reader::Csv() {
  std::vector<size_t> lines;
  std::vector<std::vector<std::string>> records;
  try {
    records = CsvRecords(text_, &lines);
  } catch (const RunError& error) {
    throw RunError(fmt::format("the manifest '{}': {}", path_, error.what()));
  }
  if (records.empty()) throw RunError(fmt::format("the manifest '{}' has no line of titles", path_));
  struct Column {
    enum { kName, kInput, kReference } kind;
    size_t index;
  };
  constexpr std::string_view kExpected = "expected:";
  std::vector<Column> columns;
  for (const std::string& title : records[0]) {
    const std::string place = fmt::format("line {}", lines[0]);
    const bool input = std::any_of(signature_.inputs.begin(), signature_.inputs.end(),
                                   [&](const TensorInfo& info) { return info.name == title; });
    if (!input && title == "name") columns.push_back({Column::kName, 0});
    else if (!input && title.starts_with(kExpected))
      columns.push_back({Column::kReference, IndexOf(signature_.outputs, title.substr(kExpected.size()), "output", place)});
    else columns.push_back({Column::kInput, IndexOf(signature_.inputs, title, "input", place)});
  }
  std::vector<Sample> samples;
  for (size_t r = 1; r < records.size(); ++r) {
    const std::string place = fmt::format("line {}", lines[r]);
    if (records[r].size() != columns.size()) {
      throw Wrong(place, fmt::format("it has {} cells, the titles are {}", records[r].size(), columns.size()));
    }
    Sample sample = Empty();
    for (const auto kind : {Column::kName, Column::kInput, Column::kReference}) {  // the name before it is made up
      for (size_t c = 0; c < columns.size(); ++c) {
        const std::string& cell = records[r][c];
        if (columns[c].kind != kind || cell.empty()) continue;
        if (kind == Column::kName) sample.name = cell;
        if (kind == Column::kInput) SetInput(columns[c].index, cell, place, &sample);
        if (kind == Column::kReference) SetReference(columns[c].index, cell, place, &sample);
      }
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<Sample> Reader::Text() {
  std::vector<Sample> samples;
  size_t number = 0;
  for (size_t at = 0; at < text_.size();) {
    const size_t end = std::min(text_.find('\n', at), text_.size());
    std::string_view line = std::string_view(text_).substr(at, end - at);
    at = end + 1;
    ++number;
    line = line.substr(0, line.find('#'));
    Sample sample = Empty();
    size_t inputs = 0, outputs = 0;
    bool behind_arrow = false;
    const std::string place = fmt::format("line {}", number);
    constexpr std::string_view kBlank = " \t\r";
    while (true) {
      line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
      if (line.empty()) break;
      const std::string word(line.substr(0, line.find_first_of(kBlank)));
      line.remove_prefix(word.size());
      if (word == "->") {
        behind_arrow = true;
      } else if (behind_arrow) {
        CheckCount(++outputs, signature_.outputs, "output", place);
        SetReference(outputs - 1, word, place, &sample);
      } else {
        CheckCount(++inputs, signature_.inputs, "input", place);
        SetInput(inputs - 1, word, place, &sample);
      }
    }
    if (inputs > 0) samples.push_back(std::move(sample));
    else if (behind_arrow) throw Wrong(place, "it has no input before ->");
  }
  return samples;
}

}  // namespace

std::vector<Sample> ReadManifest(const std::string& path, const Signature& signature) {
  const std::string extension = fs::path(path).extension().string();
  Reader reader(path, signature);
  std::vector<Sample> samples;
  if (extension == ".json") samples = reader.Json();
  else if (extension == ".csv") samples = reader.Csv();
  else if (extension == ".txt") samples = reader.Text();
  else throw RunError(fmt::format("the manifest '{}' is no .json, .csv or .txt", path));
  if (samples.empty()) throw RunError(fmt::format("the manifest '{}' names no sample", path));
  return samples;
}

}  // namespace atc::omrun
