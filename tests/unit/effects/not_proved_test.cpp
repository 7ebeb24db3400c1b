// Pairs that were once proved and are wrong, each beside its nearest right one.
#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "tests/catch.h"

namespace not_proved_test {

using namespace noclobber;

namespace {

struct Twins {
  const char* why;
  const char* inputs;
  const char* before;
  const char* wrong;
  const char* right;
};

Status verdict(const Twins& twins, const char* after, bool solver_only) {
  const auto graph = [&](const char* body) {
    return std::string("{\"inputs\": [") + twins.inputs + "], " + body + "}";
  };
  const auto value = read_case_json(
      R"({"format": "noclobber.case/1", "name": "t", "symbols": {"s0": {"min": 2, "max": 9}, "s1": {"min": 2, "max": 9}}, "before": )" +
      graph(twins.before) + ", \"after\": " + graph(after) + "}");
  INFO((value ? "" : value.fault().where + " " + value.fault().message));
  REQUIRE(value);
  bool contradiction = false;
  CheckOptions options;
  options.solver_only = solver_only;
  return check_case(*value, options, contradiction).status;
}

// table: one row per trap
const Twins kTwins[] = {
    {"the bytes of a computed element are not all the same",
     R"({"name": "x", "type": {"dtype": "f32", "shape": [2]}})",
     R"("steps": [{"name": "f", "op": "aten.neg.default", "args": [{"ref": "x"}]}, {"name": "v", "op": "aten.view.dtype", "args": [{"ref": "f"}, {"dtype": "u8"}]}, {"name": "s", "op": "aten.slice.Tensor", "args": [{"ref": "v"}, 0, 0, 1]}, {"name": "c", "op": "aten.clone.default", "args": [{"ref": "s"}]}], "outputs": [{"ref": "c"}])",
     R"("steps": [{"name": "f", "op": "aten.neg.default", "args": [{"ref": "x"}]}, {"name": "v", "op": "aten.view.dtype", "args": [{"ref": "f"}, {"dtype": "u8"}]}, {"name": "s", "op": "aten.slice.Tensor", "args": [{"ref": "v"}, 0, 1, 2]}, {"name": "c", "op": "aten.clone.default", "args": [{"ref": "s"}]}], "outputs": [{"ref": "c"}])",
     R"("steps": [{"name": "f", "op": "aten.neg.default", "args": [{"ref": "x"}]}, {"name": "v", "op": "aten.view.dtype", "args": [{"ref": "f"}, {"dtype": "u8"}]}, {"name": "s", "op": "aten.select.int", "args": [{"ref": "v"}, 0, 0]}, {"name": "u", "op": "aten.unsqueeze.default", "args": [{"ref": "s"}, 0]}, {"name": "c", "op": "aten.clone.default", "args": [{"ref": "u"}]}], "outputs": [{"ref": "c"}])"},
    {"one undefined element shown in two places",
     R"({"name": "x", "type": {"dtype": "f32", "shape": [4, 4]}})",
     R"("steps": [{"name": "e", "op": "aten.empty.memory_format", "args": [[4, 4]]}, {"name": "t", "op": "aten.permute.default", "args": [{"ref": "e"}, [1, 0]]}, {"name": "s", "op": "aten.slice.Tensor", "args": [{"ref": "t"}, 0, 0, 2]}, {"name": "o", "op": "aten.slice_scatter.default", "args": [{"ref": "e"}, {"ref": "s"}, 0, 0, 2]}], "outputs": [{"ref": "o"}])",
     R"("steps": [{"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]}], "outputs": [{"ref": "c"}])",
     R"("steps": [{"name": "e", "op": "aten.empty.memory_format", "args": [[4, 4]]}, {"name": "t", "op": "aten.permute.default", "args": [{"ref": "e"}, [1, 0]]}, {"name": "s", "op": "aten.slice.Tensor", "args": [{"ref": "t"}, 0, 0, 2]}, {"name": "k", "op": "aten.clone.default", "args": [{"ref": "s"}]}, {"name": "o", "op": "aten.slice_scatter.default", "args": [{"ref": "e"}, {"ref": "k"}, 0, 0, 2]}], "outputs": [{"ref": "o"}])"},
    {"keyword arguments of the same value are told apart by name",
     R"({"name": "x", "type": {"dtype": "f32", "shape": [2, 2]}})",
     R"("steps": [{"name": "o", "op": "aten.addmm.default", "args": [{"ref": "x"}, {"ref": "x"}, {"ref": "x"}], "kwargs": {"beta": 2}}], "outputs": [{"ref": "o"}])",
     R"("steps": [{"name": "o", "op": "aten.addmm.default", "args": [{"ref": "x"}, {"ref": "x"}, {"ref": "x"}], "kwargs": {"alpha": 2}}], "outputs": [{"ref": "o"}])",
     R"("steps": [{"name": "o", "op": "aten.addmm.default", "args": [{"ref": "x"}, {"ref": "x"}, {"ref": "x"}], "kwargs": {"alpha": 1, "beta": 2}}], "outputs": [{"ref": "o"}])"},
    {"sharing of other elements is more sharing", R"({"name": "x", "type": {"dtype": "f32", "shape": [4]}})", R"("steps": [{"name": "z", "op": "aten.zero_.default", "args": [{"ref": "x"}]}, {"name": "o", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 0, 0, 2]}], "outputs": [{"ref": "o"}])", R"("steps": [{"name": "z", "op": "aten.zero_.default", "args": [{"ref": "x"}]}, {"name": "o", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 0, 2, 4]}], "outputs": [{"ref": "o"}])",
     R"("steps": [{"name": "z", "op": "aten.zero_.default", "args": [{"ref": "x"}]}, {"name": "o", "op": "aten.narrow.default", "args": [{"ref": "x"}, 0, 0, 2]}], "outputs": [{"ref": "o"}])"},
    {"two outputs that share, shifted against each other",
     R"({"name": "x", "type": {"dtype": "f32", "shape": [4]}})",
     R"("steps": [{"name": "f", "op": "aten.full.default", "args": [[2], 0], "kwargs": {"dtype": {"dtype": "f32"}}}], "outputs": [{"ref": "f"}, {"ref": "f"}])",
     R"("steps": [{"name": "f", "op": "aten.full.default", "args": [[4], 0], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "a", "op": "aten.slice.Tensor", "args": [{"ref": "f"}, 0, 0, 2]}, {"name": "b", "op": "aten.slice.Tensor", "args": [{"ref": "f"}, 0, 1, 3]}], "outputs": [{"ref": "a"}, {"ref": "b"}])",
     R"("steps": [{"name": "f", "op": "aten.full.default", "args": [[4], 0], "kwargs": {"dtype": {"dtype": "f32"}}}, {"name": "a", "op": "aten.slice.Tensor", "args": [{"ref": "f"}, 0, 0, 2]}, {"name": "b", "op": "aten.slice.Tensor", "args": [{"ref": "f"}, 0, 2, 4]}], "outputs": [{"ref": "a"}, {"ref": "b"}])"},
    {"numbers like a transposed tensor are drawn in its order",
     R"({"name": "x", "type": {"dtype": "f32", "shape": [4, 4], "stride": [1, 4]}})",
     R"("steps": [{"name": "r", "op": "aten.rand_like.default", "args": [{"ref": "x"}], "types": [{"dtype": "f32", "shape": [4, 4], "stride": [1, 4]}]}, {"name": "o", "op": "aten.clone.default", "args": [{"ref": "r"}], "kwargs": {"memory_format": "contiguous_format"}, "types": [{"dtype": "f32", "shape": [4, 4]}]}], "outputs": [{"ref": "o"}])", R"("steps": [{"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}], "kwargs": {"memory_format": "contiguous_format"}, "types": [{"dtype": "f32", "shape": [4, 4]}]}, {"name": "r", "op": "aten.rand_like.default", "args": [{"ref": "c"}], "types": [{"dtype": "f32", "shape": [4, 4]}]}, {"name": "o", "op": "aten.clone.default", "args": [{"ref": "r"}], "kwargs": {"memory_format": "contiguous_format"}, "types": [{"dtype": "f32", "shape": [4, 4]}]}], "outputs": [{"ref": "o"}])", R"("steps": [{"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}], "types": [{"dtype": "f32", "shape": [4, 4], "stride": [1, 4]}]}, {"name": "r", "op": "aten.rand_like.default", "args": [{"ref": "c"}], "types": [{"dtype": "f32", "shape": [4, 4], "stride": [1, 4]}]}, {"name": "o", "op": "aten.clone.default", "args": [{"ref": "r"}], "kwargs": {"memory_format": "contiguous_format"}, "types": [{"dtype": "f32", "shape": [4, 4]}]}], "outputs": [{"ref": "o"}])"},
    {"dropout draws in the order of memory",
     R"({"name": "x", "type": {"dtype": "f32", "shape": [4, 4], "stride": [1, 4]}})",
     R"("steps": [{"names": ["r", "m"], "op": "aten.native_dropout.default", "args": [{"ref": "x"}, 0.5, true], "types": [{"dtype": "f32", "shape": [4, 4], "stride": [1, 4]}, {"dtype": "bool", "shape": [4, 4], "stride": [1, 4]}]}, {"name": "o", "op": "aten.clone.default", "args": [{"ref": "r"}], "kwargs": {"memory_format": "contiguous_format"}, "types": [{"dtype": "f32", "shape": [4, 4]}]}], "outputs": [{"ref": "o"}])", R"("steps": [{"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}], "kwargs": {"memory_format": "contiguous_format"}, "types": [{"dtype": "f32", "shape": [4, 4]}]}, {"names": ["r", "m"], "op": "aten.native_dropout.default", "args": [{"ref": "c"}, 0.5, true], "types": [{"dtype": "f32", "shape": [4, 4]}, {"dtype": "bool", "shape": [4, 4]}]}, {"name": "o", "op": "aten.clone.default", "args": [{"ref": "r"}], "kwargs": {"memory_format": "contiguous_format"}, "types": [{"dtype": "f32", "shape": [4, 4]}]}], "outputs": [{"ref": "o"}])",
     R"("steps": [{"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}], "types": [{"dtype": "f32", "shape": [4, 4], "stride": [1, 4]}]}, {"names": ["r", "m"], "op": "aten.native_dropout.default", "args": [{"ref": "c"}, 0.5, true], "types": [{"dtype": "f32", "shape": [4, 4], "stride": [1, 4]}, {"dtype": "bool", "shape": [4, 4], "stride": [1, 4]}]}, {"name": "o", "op": "aten.clone.default", "args": [{"ref": "r"}], "kwargs": {"memory_format": "contiguous_format"}, "types": [{"dtype": "f32", "shape": [4, 4]}]}], "outputs": [{"ref": "o"}])"},
    {"samples are drawn in the order in which the weights lie",
     R"({"name": "x", "type": {"dtype": "f32", "shape": [4, 4], "stride": [1, 4]}})",
     R"("steps": [{"name": "r", "op": "aten.multinomial.default", "args": [{"ref": "x"}, 2], "types": [{"dtype": "i64", "shape": [4, 2]}]}], "outputs": [{"ref": "r"}])",
     R"("steps": [{"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}], "kwargs": {"memory_format": "contiguous_format"}, "types": [{"dtype": "f32", "shape": [4, 4]}]}, {"name": "r", "op": "aten.multinomial.default", "args": [{"ref": "c"}, 2], "types": [{"dtype": "i64", "shape": [4, 2]}]}], "outputs": [{"ref": "r"}])",
     R"("steps": [{"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}], "types": [{"dtype": "f32", "shape": [4, 4], "stride": [1, 4]}]}, {"name": "r", "op": "aten.multinomial.default", "args": [{"ref": "c"}, 2], "types": [{"dtype": "i64", "shape": [4, 2]}]}], "outputs": [{"ref": "r"}])"},
    {"normal numbers are made in another way for what has gaps",
     R"({"name": "x", "type": {"dtype": "f32", "shape": [20, 8]}})", R"("steps": [{"name": "s", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 1, 0, 4], "types": [{"dtype": "f32", "shape": [20, 4], "stride": [8, 1]}]}, {"name": "r", "op": "aten.normal_functional.default", "args": [{"ref": "s"}], "types": [{"dtype": "f32", "shape": [20, 4]}]}, {"name": "o", "op": "aten.slice_scatter.default", "args": [{"ref": "x"}, {"ref": "r"}, 1, 0, 4], "types": [{"dtype": "f32", "shape": [20, 8]}]}], "outputs": [{"ref": "o"}])",
     R"("steps": [{"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}], "types": [{"dtype": "f32", "shape": [20, 8]}]}, {"name": "s", "op": "aten.slice.Tensor", "args": [{"ref": "c"}, 1, 0, 4], "types": [{"dtype": "f32", "shape": [20, 4], "stride": [8, 1]}]}, {"name": "r", "op": "aten.normal_.default", "args": [{"ref": "s"}], "types": [{"dtype": "f32", "shape": [20, 4], "stride": [8, 1]}]}], "outputs": [{"ref": "c"}])",
     R"("steps": [{"name": "e", "op": "aten.empty.memory_format", "args": [[20, 4]], "types": [{"dtype": "f32", "shape": [20, 4]}]}, {"name": "r", "op": "aten.normal_.default", "args": [{"ref": "e"}], "types": [{"dtype": "f32", "shape": [20, 4]}]}, {"name": "o", "op": "aten.slice_scatter.default", "args": [{"ref": "x"}, {"ref": "r"}, 1, 0, 4], "types": [{"dtype": "f32", "shape": [20, 8]}]}], "outputs": [{"ref": "o"}])"},
    {"nothing is taken away from -0, and not added to it",
     R"({"name": "x", "type": {"dtype": "f32", "shape": [4]}})",
     R"("steps": [{"name": "o", "op": "aten.clone.default", "args": [{"ref": "x"}], "types": [{"dtype": "f32", "shape": [4]}]}], "outputs": [{"ref": "o"}])",
     R"("steps": [{"name": "o", "op": "aten.sub.Tensor", "args": [{"ref": "x"}, 0], "kwargs": {"alpha": -1}, "types": [{"dtype": "f32", "shape": [4]}]}], "outputs": [{"ref": "o"}])",
     R"("steps": [{"name": "o", "op": "aten.sub.Tensor", "args": [{"ref": "x"}, 0], "kwargs": {"alpha": 2}, "types": [{"dtype": "f32", "shape": [4]}]}], "outputs": [{"ref": "o"}])"},
    {"a view that strides forbid raises",
     R"({"name": "x", "type": {"dtype": "f32", "shape": [2, 3]}})", R"("steps": [{"name": "t", "op": "aten.permute.default", "args": [{"ref": "x"}, [1, 0]]}, {"name": "v", "op": "aten.reshape.default", "args": [{"ref": "t"}, [6]]}, {"name": "n", "op": "aten.neg.default", "args": [{"ref": "v"}]}], "outputs": [{"ref": "n"}])", R"("steps": [{"name": "t", "op": "aten.permute.default", "args": [{"ref": "x"}, [1, 0]]}, {"name": "v", "op": "aten.view.default", "args": [{"ref": "t"}, [6]]}, {"name": "n", "op": "aten.neg.default", "args": [{"ref": "v"}]}], "outputs": [{"ref": "n"}])", R"("steps": [{"name": "t", "op": "aten.permute.default", "args": [{"ref": "x"}, [1, 0]]}, {"name": "c", "op": "aten.clone.default", "args": [{"ref": "t"}], "kwargs": {"memory_format": "contiguous_format"}}, {"name": "v", "op": "aten.view.default", "args": [{"ref": "c"}, [6]]}, {"name": "n", "op": "aten.neg.default", "args": [{"ref": "v"}]}], "outputs": [{"ref": "n"}])"},
    {"a wider type at an odd offset raises", R"({"name": "x", "type": {"dtype": "f32", "shape": [5]}})",
     R"("steps": [{"name": "s", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 0, 1, 3]}, {"name": "c", "op": "aten.clone.default", "args": [{"ref": "s"}]}, {"name": "v", "op": "aten.view.dtype", "args": [{"ref": "c"}, {"dtype": "f64"}]}, {"name": "n", "op": "aten.neg.default", "args": [{"ref": "v"}]}], "outputs": [{"ref": "n"}])",
     R"("steps": [{"name": "s", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 0, 1, 3]}, {"name": "v", "op": "aten.view.dtype", "args": [{"ref": "s"}, {"dtype": "f64"}]}, {"name": "n", "op": "aten.neg.default", "args": [{"ref": "v"}]}], "outputs": [{"ref": "n"}])",
     R"("steps": [{"name": "s", "op": "aten.narrow.default", "args": [{"ref": "x"}, 0, 1, 2]}, {"name": "c", "op": "aten.clone.default", "args": [{"ref": "s"}]}, {"name": "v", "op": "aten.view.dtype", "args": [{"ref": "c"}, {"dtype": "f64"}]}, {"name": "n", "op": "aten.neg.default", "args": [{"ref": "v"}]}], "outputs": [{"ref": "n"}])"},
    {"narrow beyond the end raises", R"({"name": "x", "type": {"dtype": "f32", "shape": [4]}})",
     R"("steps": [{"name": "s", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 0, 3, 9]}, {"name": "n", "op": "aten.neg.default", "args": [{"ref": "s"}]}], "outputs": [{"ref": "n"}])",
     R"("steps": [{"name": "s", "op": "aten.narrow.default", "args": [{"ref": "x"}, 0, 3, 6]}, {"name": "n", "op": "aten.neg.default", "args": [{"ref": "s"}]}], "outputs": [{"ref": "n"}])",
     R"("steps": [{"name": "s", "op": "aten.narrow.default", "args": [{"ref": "x"}, 0, 3, 1]}, {"name": "n", "op": "aten.neg.default", "args": [{"ref": "s"}]}], "outputs": [{"ref": "n"}])"},
    {"pieces that do not add up raise",
     R"({"name": "x", "type": {"dtype": "f32", "shape": [4]}})", R"("steps": [{"name": "s", "op": "aten.slice.Tensor", "args": [{"ref": "x"}, 0, 0, 2]}, {"name": "n", "op": "aten.neg.default", "args": [{"ref": "s"}]}], "outputs": [{"ref": "n"}])", R"("steps": [{"names": ["s", "t"], "op": "aten.split_with_sizes.default", "args": [{"ref": "x"}, [2, 1]]}, {"name": "n", "op": "aten.neg.default", "args": [{"ref": "s"}]}], "outputs": [{"ref": "n"}])",
     R"("steps": [{"names": ["s", "t"], "op": "aten.split_with_sizes.default", "args": [{"ref": "x"}, [2, 2]]}, {"name": "n", "op": "aten.neg.default", "args": [{"ref": "s"}]}], "outputs": [{"ref": "n"}])"},
    {"a scatter does not broadcast its source",
     R"({"name": "x", "type": {"dtype": "f32", "shape": [4]}}, {"name": "y", "type": {"dtype": "f32", "shape": [1]}})",
     R"("steps": [{"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]}, {"name": "s", "op": "aten.slice.Tensor", "args": [{"ref": "c"}, 0, 0, 2]}, {"name": "w", "op": "aten.copy_.default", "args": [{"ref": "s"}, {"ref": "y"}]}], "outputs": [{"ref": "c"}])",
     R"("steps": [{"name": "c", "op": "aten.slice_scatter.default", "args": [{"ref": "x"}, {"ref": "y"}, 0, 0, 2]}], "outputs": [{"ref": "c"}])",
     R"("steps": [{"name": "e", "op": "aten.expand.default", "args": [{"ref": "y"}, [2]]}, {"name": "c", "op": "aten.slice_scatter.default", "args": [{"ref": "x"}, {"ref": "e"}, 0, 0, 2]}], "outputs": [{"ref": "c"}])"},
    {"a sum of floats does not fit into integers",
     R"({"name": "x", "type": {"dtype": "i32", "shape": [2]}}, {"name": "y", "type": {"dtype": "f32", "shape": [2]}})",
     R"("steps": [{"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]}], "outputs": [{"ref": "c"}])",
     R"("steps": [{"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]}, {"name": "d", "op": "aten.clone.default", "args": [{"ref": "x"}]}, {"name": "q", "op": "aten.add_.Tensor", "args": [{"ref": "d"}, {"ref": "y"}]}], "outputs": [{"ref": "c"}])",
     R"("steps": [{"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]}, {"name": "d", "op": "aten.clone.default", "args": [{"ref": "x"}]}, {"name": "q", "op": "aten.add_.Tensor", "args": [{"ref": "d"}, {"ref": "x"}]}], "outputs": [{"ref": "c"}])"},
    {"an input that may not be written is not even written with what it holds (fuzz seed 2736)",
     R"({"name": "x", "type": {"dtype": "f32", "shape": [4]}})",
     R"("steps": [{"name": "n", "op": "aten.neg.default", "args": [{"ref": "x"}]}], "outputs": [{"ref": "n"}])",
     R"("steps": [{"name": "w", "op": "aten.copy_.default", "args": [{"ref": "x"}, {"ref": "x"}]}, {"name": "n", "op": "aten.neg.default", "args": [{"ref": "x"}]}], "outputs": [{"ref": "n"}])",
     R"("steps": [{"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]}, {"name": "w", "op": "aten.copy_.default", "args": [{"ref": "c"}, {"ref": "x"}]}, {"name": "n", "op": "aten.neg.default", "args": [{"ref": "x"}]}], "outputs": [{"ref": "n"}])"},
    {"a scatter keeps its base's place in its storage (fuzz seed 4404)",
     R"({"name": "x", "type": {"dtype": "f32", "shape": [4], "offset": 1}, "storage": "S", "storage_numel": 8}, {"name": "y", "type": {"dtype": "f32", "shape": [4]}})",
     R"("steps": [{"name": "r", "op": "aten.slice_scatter.default", "args": [{"ref": "x"}, {"ref": "y"}, 0, 0, 4]}, {"name": "o", "op": "aten.as_strided.default", "args": [{"ref": "r"}, [1], [1], 3]}], "outputs": [{"ref": "o"}])",
     R"("steps": [{"name": "c", "op": "aten.clone.default", "args": [{"ref": "x"}]}, {"name": "w", "op": "aten.copy_.default", "args": [{"ref": "c"}, {"ref": "y"}]}, {"name": "o", "op": "aten.as_strided.default", "args": [{"ref": "c"}, [1], [1], 3]}], "outputs": [{"ref": "o"}])",
     nullptr},
    {"sizes that overflow are not the same", R"({"name": "x", "type": {"dtype": "f32", "shape": ["s0"]}})",
     R"j("steps": [], "outputs": [{"sym": "(s0*4611686018427387904+s1*4611686018427387904)*(s0+7)"}])j",
     R"j("steps": [], "outputs": [{"sym": "(s0*4611686018427387904+s1*4611686018427387904)*(s0+6)"}])j",
     nullptr},
};

}  // namespace

TEST_CASE("wrong pairs that were once proved are not", "[effects]") {
  for (const bool solver_only : {false, true})
    for (const Twins& twins : kTwins) {
      INFO(twins.why << (solver_only ? " (second engine)" : ""));
      CHECK(verdict(twins, twins.wrong, solver_only) != Status::proved);
      if (twins.right != nullptr) CHECK(verdict(twins, twins.right, solver_only) == Status::proved);
    }
}

}  // namespace not_proved_test
