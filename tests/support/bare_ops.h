// Operators of the table that nothing computes.
#pragma once
#include <string>

namespace noclobber::golden {

/// As corpus/ops_bare.tsv holds it: every operator of the vocabulary that has a row and is modelled, and has
/// no kernel; in-place and out= forms are left out, they have the kernel of their functional form.
std::string bare_table();

}  // namespace noclobber::golden
