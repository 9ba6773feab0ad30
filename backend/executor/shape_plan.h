// Static plans of what has known shapes once its inputs have: models of unknown shapes, and graphs that nodes own.
#pragma once

#include <memory>
#include <vector>

#include "backend/executor/model.h"
#include "backend/executor/static_model.h"
#include "compiler/om/om_model.h"

namespace atc {

// Whether tensors of this type are bytes in a row, of a number that follows from the shape.
bool HasFixedBytes(DataType dtype);

// `graph`, that of `model` or one nested in it, as a model of its own for inputs of these shapes, in the order of
// Graph::Inputs(). Nothing where shapes depend on more than that.
std::unique_ptr<StaticModel> PlanForShapes(const OmModel& model, const Graph& graph, const std::vector<Shape>& shapes,
                                           const LoadOptions& options);

// The tasks of a part of a model, by its nodes with streams in the order of their ids. Its streams and events are numbered
// from 0 on, those that it has none of left out.
void AddTasks(OmModel& part);

}  // namespace atc
