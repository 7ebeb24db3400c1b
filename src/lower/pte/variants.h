// Operators of a .pte that no schema is known of: variants that write, as ExecuTorch makes them of functional
// operators (exir/operator/convert.py of 1.5): the same arguments, then one tensor to write for each result.
#pragma once
#include "src/lower/pte/builder.h"

namespace noclobber {

const PteOperator& operator_of(const PteBuilder& p, const std::string& op);
const Schema* schema_of(const PteBuilder& p, const PteInstruction& step);

}  // namespace noclobber
