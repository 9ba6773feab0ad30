// A TensorFlow file or SavedModel in memory, before anything of it is converted.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "parsers/tensorflow/checkpoint.h"
#include "parsers/tensorflow/graph_builder.h"
#include "parsers/tensorflow/graph_def.pb.h"
#include "parsers/tensorflow/interface.h"
#include "parsers/tensorflow/types.h"

namespace atc::tf_parser {

struct ModelSource {
  std::unique_ptr<TensorReader> tensors;   // the data of the graph's tensors
  proto::GraphDef graph;                   // without them
  Signature signature;                     // without name: the model has none
  std::unique_ptr<Checkpoint> checkpoint;  // variables; null: none
  std::string folder;                      // of the model
  bool saved_model = false;                // its variables are in a checkpoint in the folder
  std::map<std::string, std::string> assets;  // of a SavedModel: files by the node that holds the name
  int64_t bytes = 0;                       // of the file with the graph

  // What the conversion shares; refers to this.
  ModelState State() const;
};

// A GraphDef, binary or text, or a SavedModel (its folder or its saved_model.pb). Errors: E13005 (no such model, with
// what it is instead), E13014 (no such signature).
ModelSource ReadModel(const std::string& path);
ModelSource ReadModelFile(std::shared_ptr<const ModelFile> file);

// The graph with the data of its tensors, as one message. Errors as ReadModel, and E13015 where it is larger than one
// message may be.
proto::GraphDef ReadWholeGraph(const std::string& path);

// "file 'model.pb'", "model 'folder'": what messages are about.
std::string Called(const std::string& path);

// A graph with its outputs and inputs, with control flow of the old form rewritten, ready to be walked.
struct ResolvedGraph {
  SourceGraph source;
  std::vector<std::string> output_names;
  std::vector<std::pair<uint32_t, TensorDesc>> inputs;
};
// `model.variable` is set where there is a checkpoint. Errors: E12009, E13009, E10016, E10003, E13014.
ResolvedGraph Resolve(ModelState& model, const ModelSource& from);

}  // namespace atc::tf_parser
