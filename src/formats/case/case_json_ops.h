// Reads one OPDECL of noclobber.case/1.
#pragma once
#include <string>

#include "src/graph/case.h"
#include "src/text/json.h"

namespace noclobber {

struct ReadOpDecl {
  OpDecl decl;
  std::string op;   // "zoo.scale_.default"
  int results = 0;  // of the schema; -1: it returns a list
};

/// Reads a declaration and checks it against its own schema.
ReadOpDecl read_op_decl(const OrderedJson& json, const JsonAt& at, JsonFaults& faults);

}  // namespace noclobber
