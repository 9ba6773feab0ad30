// Streams of a model that is split into parts of known shapes and the rest.
#pragma once

#include "compiler/streams/logical_streams.h"
#include "compiler/streams/static_parts.h"

namespace atc {

// Like AssignLogicalStreams for a graph of unknown shapes, `split` being what SplitStaticParts made of it: the root by the
// rules of unknown shapes, each part as a model of its own by those of known ones, with streams numbered from 0. In
// `graph` stream 0 of a part is that of the node that stands for it, and its stream n that behind the streams of the root
// by n - 1, whichever part it is: parts mostly follow one another. Not for options.single_stream, which needs no parts.
// options.user_passes is called with the root, then with each part. `split` is left
// with numbers of its own.
int32_t AssignMixedStreams(Graph& graph, Graph& split, const StreamOptions& options);

}  // namespace atc
