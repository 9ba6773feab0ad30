// Single operators by their AscendIR type: what aclop calls come down to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/acl/objects.h"
#include "backend/aclnn/executor.h"
#include "backend/acl/include/acl/acl_op.h"
#include "compiler/ir/attr.h"

namespace atc::aclnn {

struct OpAttrs {
  std::mutex mutex;
  AttrMap map;
};

// An operator prepared for descriptions of its inputs and outputs.
struct SingleOp {
  std::string type;
  std::vector<acl::TensorDesc> inputs;   // of dtype DT_UNDEFINED where an optional input is absent
  std::vector<acl::TensorDesc> outputs;
  std::shared_ptr<Plan> plan;
};

acl::HandleTable<OpAttrs>& OpAttributes();

// 100024 for a type that is none, 100021 and 100022 where the descriptions do not fit it, 100023 for an attribute that it
// does not have. Unknown dims of outputs are filled in.
aclError MakeSingleOp(const std::string& type, std::vector<acl::TensorDesc> inputs, std::vector<acl::TensorDesc> outputs,
                      const AttrMap& attrs, std::shared_ptr<SingleOp>* op);

// Queues a run; addresses are those of the data buffers. 100000 where one is NULL or has too few bytes.
aclError RunSingleOp(const SingleOp& op, const std::vector<acl::Buffer*>& inputs, const std::vector<acl::Buffer*>& outputs,
                     aclrtStream stream);

// As RunSingleOp, by addresses, for tensors that are known to be there.
aclError RunAt(const SingleOp& op, std::vector<void*> addresses, aclrtStream stream);

}  // namespace atc::aclnn
