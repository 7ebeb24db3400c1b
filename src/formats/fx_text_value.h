// Values in FX text: arguments, returned things, and the scalar arithmetic between symbolic sizes.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "src/formats/fx_text_cursor.h"
#include "src/formats/fx_text_names.h"

namespace noclobber {

class FxValues {
 public:
  FxValues(FxCursor& cursor, FxNames& names) : cursor_(cursor), names_(names) {}

  /// One value. Something that only an annotation can give a meaning (`math.ceil(s0)`, `s0 * 0.5`) is
  /// none, and `needs_annotation` then says what it is.
  Arg value();
  std::string needs_annotation;
  /// `(a, b, k = c)` with the parentheses.
  void arguments(std::vector<Arg>& args, std::vector<std::pair<std::string, Arg>>& kwargs);

 private:
  Arg binary(int lowest);
  Arg operand();
  Arg unary(char sign);
  Arg atom();
  Arg number(bool negative);
  Arg word();
  Arg call(std::string_view head);
  Arg sequence(char close);
  Arg parenthesized();
  Arg dictionary();
  Arg object();
  Arg fold(std::string_view sign, const Arg& left, const Arg& right);
  Arg unfolded(std::string_view what);

  FxCursor& cursor_;
  FxNames& names_;
  int depth_ = 0;
  std::size_t count_ = 0;  // of values read
};

}  // namespace noclobber
