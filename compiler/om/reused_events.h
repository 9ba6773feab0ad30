// Events whose numbers a model uses several times in one run.
#pragma once

#include "compiler/om/om_model.h"

namespace atc {

// Gives every use of an event a number of its own, in tasks, nodes and event_num: the n-th record of a number in the list is
// what the n-th wait for it waits for, as waits reset events. Nothing changes where no number is used twice.
void TellReusedEventsApart(OmModel* model);

}  // namespace atc
