// Writes by keys of tensors, numbers and slices among each other, into tensors of three dimensions.
#include "tests/support/graph_text.h"
#include "tests/unit/lower/thunder_program.h"

namespace thunder_keys_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

namespace {

/// x is f32[2, 3, 4], i is i64[2], m is b8[2], v is f32[2, 3]: `call` of these, and what it writes.
std::string said(const std::string& call) {
  const auto checks = read_thunder({"t", trace("x, i, m, v",
                                               "  # x: \"cpu f32[2, 3, 4]\"\n  # i: \"cpu i64[2]\"\n  # m: "
                                               "\"cpu b8[2]\"\n  # v: \"cpu f32[2, 3]\"\n  t1 = prims." +
                                                   call + "  # t1: \"cpu f32[2, 3, 4]\"\n  return t1\n")},
                                   "");
  if (!checks.at(0).value) return checks[0].value.fault().message;
  std::string out = testing::graph_text(checks[0].value->after);
  for (const OpDecl& op : checks[0].value->ops) out += op.schema + (op.pure ? " pure\n" : "\n");
  return out;
}

std::string copied(const std::string& key, const std::string& value) {
  return said("copy_with_setitem(x, " + key + ", " + value + ")");
}

}  // namespace

TEST_CASE("thunder keys: tensors beside numbers and slices choose dimensions that come first", "[thunder]") {
  const std::string all = "slice(None,None,None)";
  CHECK(copied("(0, i)", "v") == R"x(t1__part:f32 = aten.clone.default(x)
t1__part__1 = aten.select.int(t1__part, 0, 0)
t1__part__2 = aten.slice.Tensor(t1__part__1, 0, -, -, 1)
t1__part__3 = aten.index_put_.default(t1__part__2, [i], v)
t1:f32 = aten.alias.default(t1__part)
-> t1
)x");
  CHECK(copied("(" + all + ", i)", "v") == R"x(t1__part:f32 = aten.clone.default(x)
t1__part__1 = aten.slice.Tensor(t1__part, 0, -, -, 1)
t1__part__2 = aten.slice.Tensor(t1__part__1, 1, -, -, 1)
t1__part__3 = aten.index_put_.default(t1__part__2, [- i], v)
t1:f32 = aten.alias.default(t1__part)
-> t1
)x");
  CHECK(copied("(0, " + all + ", i)", "v") ==
        R"x(t1:f32 = thunder.copy_with_setitem_tatt.default(x, [0 ['slice' - - -] 'tensor'], i, v)
-> t1
thunder::copy_with_setitem_tatt(Tensor a0, Any a1, Tensor a1_0, Tensor a2) -> Tensor pure
)x");
  CHECK(copied("(0, ..., i)", "v") ==
        R"x(t1:f32 = thunder.copy_with_setitem_tatt.default(x, [0 '...' 'tensor'], i, v)
-> t1
thunder::copy_with_setitem_tatt(Tensor a0, Any a1, Tensor a1_0, Tensor a2) -> Tensor pure
)x");
  CHECK(copied("(0, " + all + ", i)", "7.0") == R"x(t1__part:f32 = aten.clone.default(x)
t1__part__1 = aten.select.int(t1__part, 0, 0)
t1__part__2 = aten.slice.Tensor(t1__part__1, 0, -, -, 1)
t1__part__3 = aten.slice.Tensor(t1__part__2, 1, -, -, 1)
t1__part__4:f32 = aten.scalar_tensor.default(7.000000, dtype=f32)
t1__part__5 = aten.index_put_.default(t1__part__3, [- i], t1__part__4)
t1:f32 = aten.alias.default(t1__part)
-> t1
)x");
  CHECK(copied("(" + all + ", i, 0)", "v") ==
        R"x(t1:f32 = thunder.copy_with_setitem_tatt.default(x, [['slice' - - -] 'tensor' 0], i, v)
-> t1
thunder::copy_with_setitem_tatt(Tensor a0, Any a1, Tensor a1_0, Tensor a2) -> Tensor pure
)x");
}

TEST_CASE("thunder keys: masks beside other keys, and calls and lists that are no slices", "[thunder]") {
  CHECK(copied("(m, 0)", "7.0") ==
        R"x(t1:f32 = thunder.copy_with_setitem_tata.default(x, ['tensor' 0], m, 7.000000)
-> t1
thunder::copy_with_setitem_tata(Tensor a0, Any a1, Tensor a1_0, Any a2) -> Tensor pure
)x");
  CHECK(copied("m", "7.0") == R"x(t1__part:f32 = aten.clone.default(x)
t1__part__1:f32 = aten.scalar_tensor.default(7.000000, dtype=f32)
t1__part__2 = aten.index_put_.default(t1__part, [m], t1__part__1)
t1:f32 = aten.alias.default(t1__part)
-> t1
)x");
  CHECK(copied("([0, 1, 0], 1)", "7.0") == R"x(t1__part:f32 = aten.clone.default(x)
t1__part__1 = aten.select.int(t1__part, 0, 0)
t1__part__2 = aten.select.int(t1__part__1, 0, 1)
t1__part__3 = aten.fill_.Scalar(t1__part__2, 7.000000)
t1__part__4 = aten.select.int(t1__part, 0, 1)
t1__part__5 = aten.select.int(t1__part__4, 0, 1)
t1__part__6 = aten.fill_.Scalar(t1__part__5, 7.000000)
t1__part__7 = aten.select.int(t1__part, 0, 0)
t1__part__8 = aten.select.int(t1__part__7, 0, 1)
t1__part__9 = aten.fill_.Scalar(t1__part__8, 7.000000)
t1:f32 = aten.alias.default(t1__part)
-> t1
)x");
  CHECK(copied("slice(i, 2)", "7.0") ==
        R"x(t1:f32 = thunder.copy_with_setitem_tata.default(x, ['slice' 'tensor' 2], i, 7.000000)
-> t1
thunder::copy_with_setitem_tata(Tensor a0, Any a1, Tensor a1_0, Any a2) -> Tensor pure
)x");
}

TEST_CASE("thunder keys: a tensor is stored into several places, or into one of an input", "[thunder]") {
  CHECK(copied("[0]", "v") == R"x(t1__part:f32 = aten.clone.default(x)
t1__part__1 = aten.select.int(t1__part, 0, 0)
t1__part__2 = aten.copy_.default(t1__part__1, v)
t1:f32 = aten.alias.default(t1__part)
-> t1
)x");
  CHECK(copied("[0, 1]", "x") == R"x(t1__part:f32 = aten.clone.default(x)
t1__part__1 = aten.select.int(t1__part, 0, 0)
t1__part__2 = aten.select.int(x, 0, 0)
t1__part__3 = aten.copy_.default(t1__part__1, t1__part__2)
t1__part__4 = aten.select.int(t1__part, 0, 1)
t1__part__5 = aten.select.int(x, 0, 1)
t1__part__6 = aten.copy_.default(t1__part__4, t1__part__5)
t1:f32 = aten.alias.default(t1__part)
-> t1
)x");
  CHECK(said("setitem(x, [0], v)") == R"x(t1__part = aten.select.int(x, 0, 0)
t1__part__1 = aten.copy_.default(t1__part, v)
t1:f32 = aten.alias.default(x)
-> t1
)x");
  CHECK(said("setitem(x, [0, 1], x)") == R"x(t1:f32 = thunder.prims.setitem(x, [0 1], x)
-> t1
)x");
  CHECK(said("setitem(x, [0, 1], 7.0)") == R"x(t1__part = aten.select.int(x, 0, 0)
t1__part__1 = aten.fill_.Scalar(t1__part, 7.000000)
t1__part__2 = aten.select.int(x, 0, 1)
t1__part__3 = aten.fill_.Scalar(t1__part__2, 7.000000)
t1:f32 = aten.alias.default(x)
-> t1
)x");
}

}  // namespace thunder_keys_test
