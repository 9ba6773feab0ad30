// Recurrent cells in one operator.
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {

void RegisterRecurrentConverters(ConverterRegistry& registry) {
  for (const char* op : {"BlockLSTM", "BlockLSTMV2", "LSTMBlockCell"}) registry.AddKeep(op, 7);
  registry.AddKeep("GRUBlockCell", 4);
}

}  // namespace atc::tf_parser
