// Operators of a .pte without a known schema: the out variants that ExecuTorch derives from functional
// operators (exir/operator/convert.py of 1.5). They take the same arguments, then one tensor to write for
// each result.
#pragma once
#include "src/lower/pte/builder.h"

namespace noclobber {

const PteOperator& operator_of(const PteBuilder& p, const std::string& op);
const Schema* schema_of(const PteBuilder& p, const PteInstruction& step);

}  // namespace noclobber
