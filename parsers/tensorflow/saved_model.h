// The folder of a SavedModel: its file, and which of its graphs and signatures is converted.
#pragma once

#include <memory>
#include <string>

#include "parsers/model_file.h"
#include "parsers/tensorflow/graph_def.pb.h"
#include "parsers/tensorflow/interface.h"

namespace atc::tf_parser {

// A folder, or the saved_model.pb or saved_model.pbtxt in one.
bool IsSavedModel(const std::string& path);
std::string SavedModelFolder(const std::string& path);

// The file in the folder, in its binary form. Errors: E13005, none or a text that is no SavedModel.
std::shared_ptr<const ModelFile> OpenSavedModel(const std::string& folder);

// The graph whose tags are those of OPENATC_TF_TAGS ("serve,gpu"), else the one tagged "serve" alone, else the first
// that has this tag, else the only one. Errors: E13005 no graph, E13014 none of these tags, with those that there are.
proto::MetaGraphDef& ChooseMetaGraph(proto::SavedModel& model, const std::string& path);

// The signature that OPENATC_TF_SIGNATURE names, else the one that servers take, else the only one. Errors: E13014, with
// the names that there are.
Signature ChooseSignature(const proto::MetaGraphDef& graph);

// Binary bytes of a text file of message `Proto`, called `name` in messages. Errors: E13005 with line and column.
template <typename Proto>
std::shared_ptr<const ModelFile> FromText(const ModelFile& file, const char* name);

}  // namespace atc::tf_parser
