// Writes by index, as Thunder prints them: which elements of what are written.
#include "src/check/check.h"
#include "src/lower/thunder/thunder.h"
#include "tests/unit/lower/thunder_program.h"

namespace thunder_items_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

namespace {

Ops set(const std::string& key, const std::string& value = "5.0") {
  return ops_of(graph_of(program("  g = prims.copy_with_setitem(a, " + key + ", " + value +
                                 ")  # g: \"cpu f32[2, 3]\"\n  return g\n")));
}

const std::string kClone = "aten.clone.default", kSelect = "aten.select.int", kFill = "aten.fill_.Scalar",
                  kCopy = "aten.copy_.default", kAlias = "aten.alias.default";
const Ops kUnknown{"thunder.prims.copy_with_setitem"};

/// What is written into a copy of a, then what is read, against the same with another thing read.
Status read_instead(const std::string& write, const std::string& before, const std::string& after) {
  const auto text = [&](const std::string& read) {
    return program("  c = prims.clone(a)  # c: \"cpu f32[2, 3]\"\n  g = prims.copy_with_setitem(c, " + write +
                   ")  # g: \"cpu f32[2, 3]\"\n  r = " + read +
                   "  # r: \"cpu f32[3]\"\n  q = prims.clone(r)  # q: \"cpu f32[3]\"\n  return q\n");
  };
  const auto pair = read_thunder({"t", text(before) + text(after)}, "");
  REQUIRE(pair.size() == 1);
  bool contradiction = false;
  const Status out = check_case(*pair[0].value, {}, contradiction).status;
  CHECK_FALSE(contradiction);
  return out;
}

}  // namespace

/// `x[[0, 1]]` are two rows, `x[0, 1]` is one element.
TEST_CASE("a list as an index is one tensor, a tuple several indices", "[thunder]") {
  CHECK(set("(0, 1)") == Ops{kClone, kSelect, kSelect, kFill, kAlias});
  CHECK(set("[0, 1]") == Ops{kClone, kSelect, kFill, kSelect, kFill, kAlias});
  CHECK(set("(0, [1, 2])") == Ops{kClone, kSelect, kSelect, kFill, kSelect, kSelect, kFill, kAlias});
  CHECK(set("[0, 1]", "b") == Ops{kClone, kSelect, kSelect, kCopy, kSelect, kSelect, kCopy, kAlias});
  const std::string second = "ltorch.select(g, 0, 1)", old = "ltorch.select(c, 0, 1)";
  CHECK(read_instead("[0, 1], 5.0", second, second) == Status::proved);
  CHECK(read_instead("[0, 1], 5.0", second, old) == Status::refuted);
  CHECK(read_instead("(0, 1), 5.0", second, old) == Status::proved);
  CHECK(read_instead("[0], 5.0", second, old) == Status::proved);
}

TEST_CASE("rows of the value go where the list says", "[thunder]") {
  const std::string first = "ltorch.select(g, 0, 0)";
  CHECK(read_instead("[1, 0], b", first, "ltorch.select(b, 0, 1)") == Status::proved);
  CHECK(read_instead("[-1, 0], b", first, "ltorch.select(b, 0, 1)") == Status::proved);
  CHECK(read_instead("[1, 0], b", first, "ltorch.select(b, 0, 0)") == Status::refuted);
}

/// Nothing is guessed: what such a key chooses is not known, and no run is believed.
TEST_CASE("keys that are no numbers, slices and lists of numbers are not known", "[thunder]") {
  for (const char* key : {"None", "True", "(0, None)", "[True, False]", "[]", "([0, 1], [0, 1, 2])"})
    CHECK(set(key) == kUnknown);
  CHECK(set("[0, -2]", "b") == kUnknown);      // one row twice: which value stays is not said
  CHECK(set("(0, [0, 1])", "b") == kUnknown);  // dimensions of the value in another order
}

TEST_CASE("a tensor as an index is index_put", "[thunder]") {
  const std::string given =
      "  # a: \"cpu f32[2, 3]\"\n  # i: \"cpu i64[1]\"\n  # v: \"cpu f32[1, 3]\"\n  # w: \"cpu f64[1, 3]\"\n";
  const auto ops = [&](const std::string& value) {
    return ops_of(graph_of(trace("a, i, v, w", given + "  g = prims.copy_with_setitem(a, i, " + value +
                                                   ")  # g: \"cpu f32[2, 3]\"\n  return g\n")));
  };
  CHECK(ops("v") == Ops{kClone, "aten.index_put_.default", kAlias});
  CHECK(ops("2.0") == Ops{kClone, "aten.scalar_tensor.default", "aten.index_put_.default", kAlias});
  CHECK(ops("w")[0].starts_with("thunder.copy_with_setitem_"));  // converted first
  const auto keyed = [&](const std::string& key) {
    return graph_of(trace("a, i, v, w", given + "  g = prims.copy_with_setitem(a, " + key +
                                            ", 2.0)  # g: \"cpu f32[2, 3]\"\n  return g\n"));
  };
  const Ops sliced{kClone,
                   "aten.slice.Tensor",
                   "aten.slice.Tensor",
                   "aten.scalar_tensor.default",
                   "aten.index_put_.default",
                   kAlias};
  CHECK(ops_of(keyed("(slice(0,1,None), i)")) == sliced);
  CHECK(ops_of(keyed("(..., i)")) == sliced);
  CHECK(keyed("(..., i)").steps[4].args[1].list.size() == 2);
  CHECK(keyed("(i,)").steps[3].args[1].list.size() == 1);
  CHECK(ops_of(keyed("(i, i)"))[4] == "aten.index_put_.default");
  CHECK(ops_of(keyed("(0, i)")) == Ops{kClone, kSelect, "aten.slice.Tensor", "aten.scalar_tensor.default",
                                       "aten.index_put_.default", kAlias});
  CHECK(keyed("(0, i)").steps[4].args[1].list.size() == 1);
  for (const char* key : {"(None, i)", "[i, 0]", "(True, i)", "(slice(i,None,None), i)"})
    CHECK(ops_of(keyed(key))[0].starts_with("thunder.copy_with_setitem_"));
  CHECK(ops_of(keyed("[i, 0]")) != ops_of(keyed("(i, 0)")));
}

TEST_CASE("a tensor from a list of numbers holds these", "[thunder]") {
  const auto ops = [](const std::string& list) {
    return ops_of(
        graph_of(program("  t = prims.tensor_from_sequence(" + list +
                         ", dtype=dtypes.int64, device=devices.Device(\"cpu\"))  # t: \"cpu i64[2]\"\n"
                         "  g = prims.take(a, t, 0)  # g: \"cpu f32[2, 3]\"\n  return g\n")));
  };
  CHECK(ops("[1, 0]") == Ops{"aten.scalar_tensor.default", "aten.scalar_tensor.default", "aten.stack.default",
                             "aten.index_select.default"});
  CHECK(ops("[[1], [0]]")[0].starts_with("thunder.tensor_from_sequence_"));
}

}  // namespace thunder_items_test
