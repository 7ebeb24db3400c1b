// Copies of a tensor with a part replaced, as moves of the Trace.
#include "tests/unit/effects/fx_traced.h"

namespace scattered_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

// table: what is replaced
const FxRow kScattered[] = {
    {"a copy with a part of it replaced", R"fx(x: "f32[4, 3]", s: "f32[2, 3]", v: "f32[3]")fx",
     R"fx(a = torch.ops.aten.slice_scatter.default(x, s, 0, 1, 3)
b = torch.ops.aten.select_scatter.default(x, v, 0, 1)
return (a, b))fx",
     R"fx(
storage S5 [4, 3]  fresh 0
storage S6 [4, 3]  fresh 1
step 0 move  write S5:f32[4, 3]  read S2:f32[4, 3]  # graph step 0
step 1 move  write S5:f32.slice(0, 1, step 1)[2, 3]  read S3:f32[2, 3]  # graph step 0
step 2 move  write S6:f32[4, 3]  read S2:f32[4, 3]  # graph step 1
step 3 move  write S6:f32.slice(0, 1, step 1)[1, 3].reshape[3]  read S4:f32[3]  # graph step 1
output 0 read S5:f32[4, 3]
output 1 read S6:f32[4, 3]
)fx"},
    {"what is expanded is made dense, a single row is not expanded",
     R"fx(e: "f32[4, 3][0, 1]", s: "f32[2, 3]", one: "f32[1, 3][0, 1]", s1: "f32[1, 1]")fx",
     R"fx(a = torch.ops.aten.slice_scatter.default(e, s, 0, 1, 3)
b = torch.ops.aten.slice_scatter.default(one, s1, 1, 1, 2)
return (a, b))fx",
     R"fx(
storage S6 [4, 3]  fresh 0
storage S7 [1, 3]  fresh 1
step 0 move  write S6:f32[4, 3]  read S2:f32.strided(0, [0, 1])[4, 3]  # graph step 0
step 1 move  write S6:f32.slice(0, 1, step 1)[2, 3]  read S3:f32[2, 3]  # graph step 0
step 2 move  write S7:f32[1, 3]  read S4:f32[1, 3]  # graph step 1
step 3 move  write S7:f32.slice(1, 1, step 1)[1, 1]  read S5:f32[1, 1]  # graph step 1
output 0 read S6:f32[4, 3]
output 1 read S7:f32[1, 3]
)fx"},
    {"gaps are copied as well", R"fx(e: "f32[4, 3][6, 1]", s: "f32[2, 3]")fx",
     R"fx(a = torch.ops.aten.slice_scatter.default(e, s, 0, 1, 3)
return (a,))fx",
     R"fx(
storage S4 [21]  fresh 0
step 0 move  write S4:f32[21]  read S2:f32.reshape[21].strided(0, [1])[21]  # graph step 0
step 1 move  write S4:f32.strided(6, [6, 1])[2, 3]  read S3:f32[2, 3]  # graph step 0
output 0 read S4:f32.strided(0, [6, 1])[4, 3]
)fx"},
    {"and what lies in memory twice", R"fx(e: "f32[3, 2][1, 1]", s: "f32[1, 2]")fx",
     R"fx(a = torch.ops.aten.slice_scatter.default(e, s, 0, 1, 2)
return (a,))fx",
     R"fx(
storage S4 [4]  fresh 0
step 0 move  write S4:f32[4]  read S2:f32.reshape[4].strided(0, [1])[4]  # graph step 0
step 1 move  write S4:f32.strided(1, [1, 1])[1, 2]  read S3:f32[1, 2]  # graph step 0
output 0 read S4:f32.strided(0, [1, 1])[3, 2]
)fx"},
    {"from the first element of the argument to its last", R"fx(w: "f32[9]", s: "f32[2, 2]")fx",
     R"fx(p = torch.ops.aten.as_strided.default(w, [3, 2], [3, 1], 1)
a = torch.ops.aten.slice_scatter.default(p, s, 0, 1, 3)
return (a,))fx",
     R"fx(
storage S4 [8]  fresh 0
step 0 move  write S4:f32[8]  read S2:f32.reshape[9].strided(1, [1])[8]  # graph step 1
step 1 move  write S4:f32.strided(3, [3, 1])[2, 2]  read S3:f32[2, 2]  # graph step 1
output 0 read S4:f32.strided(0, [3, 1])[3, 2]
)fx"},
    {"also where that is the storage's last", R"fx(w: "f32[8]", s: "f32[2, 2]")fx",
     R"fx(p = torch.ops.aten.as_strided.default(w, [3, 2], [3, 1], 0)
a = torch.ops.aten.slice_scatter.default(p, s, 0, 1, 3)
return (a,))fx",
     R"fx(
storage S4 [8]  fresh 0
step 0 move  write S4:f32[8]  read S2:f32.reshape[8].strided(0, [1])[8]  # graph step 1
step 1 move  write S4:f32.strided(3, [3, 1])[2, 2]  read S3:f32[2, 2]  # graph step 1
output 0 read S4:f32.strided(0, [3, 1])[3, 2]
)fx"},
    {"read as another type of the same width, but of no other width",
     R"fx(w: "f32[8, 2]", s: "i32[2, 2]", h: "f16[2, 4]")fx",
     R"fx(v = torch.ops.aten.view.dtype(w, torch.int32)
p = torch.ops.aten.slice.Tensor(v, 0, 0, 8, 2)
a = torch.ops.aten.slice_scatter.default(p, s, 0, 1, 3)
k: "f32[8, 2][2, 1]" = torch.ops.aten.neg.default(w)
m = torch.ops.aten.view.dtype(k, torch.float16)
n = torch.ops.aten.slice.Tensor(m, 0, 0, 8, 2)
b = torch.ops.aten.slice_scatter.default(n, h, 0, 1, 3)
return (a, b))fx",
     R"fx(
storage S5 [14]  fresh 0
storage S6 [8, 2] x 4 B  fresh 1
storage S7 [28]  fresh 2
step 0 move  write S5:i32[14]  read S2:i32.reshape[16].strided(0, [1])[14]  # graph step 2
step 1 move  write S5:i32.strided(4, [4, 1])[2, 2]  read S3:i32[2, 2]  # graph step 2
step 2 opaque "aten.neg;T"  write S6:f32[8, 2]  read S2:f32[8, 2]  # graph step 3
step 3 move  write S7:f16.strided(0, [8, 1])[4, 4]  read S6:f16.reshape[8, 4, 2].slice(0, 0, step 2)[4, 4]  # graph step 6
step 4 move  write S7:f16.strided(8, [8, 1])[2, 4]  read S4:f16[2, 4]  # graph step 6
output 0 read S5:i32.strided(0, [4, 1])[4, 2]
output 1 read S7:f16.strided(0, [8, 1])[4, 4]
)fx"},
    {"not where nobody knows the first element", R"fx(w: "f32[4, 4]", s: "f32[2]")fx",
     R"fx(v = torch.ops.aten.diagonal.default(w, 1)
p = torch.ops.aten.slice.Tensor(v, 0, 0, 3)
a = torch.ops.aten.slice_scatter.default(p, s, 0, 1, 3)
return (a,))fx",
     R"fx(
storage S4 [11]  fresh 0
step 0 move  write S4:f32.strided(0, [5])[3]  read S2:f32.diagonal(0+0, 1+1)  # graph step 2
step 1 move  write S4:f32.strided(5, [5])[2]  read S3:f32[2]  # graph step 2
output 0 read S4:f32.strided(0, [5])[3]
)fx"},
    {"nor where the result is said to lie otherwise", R"fx(e: "f32[4, 3][6, 1]", s: "f32[2, 3]")fx",
     R"fx(a: "f32[4, 3][3, 1]" = torch.ops.aten.slice_scatter.default(e, s, 0, 1, 3)
return (a,))fx",
     R"fx(
storage S4 [4, 3]  fresh 0
step 0 move  write S4:f32[4, 3]  read S2:f32.strided(0, [6, 1])[4, 3]  # graph step 0
step 1 move  write S4:f32.slice(0, 1, step 1)[2, 3]  read S3:f32[2, 3]  # graph step 0
output 0 read S4:f32[4, 3]
)fx"},
    {"what a part of a storage becomes shows no other element of it", R"fx(e: "f32[4, 6]", s: "f32[2, 3]")fx",
     R"fx(p = torch.ops.aten.slice.Tensor(e, 1, 2, 5)
a = torch.ops.aten.slice_scatter.default(p, s, 0, 1, 3)
f = torch.ops.aten.as_strided.default(a, [2], [1])
return (a, f))fx",
     R"fx(
storage S4 [21]  fresh 0
step 0 move  write S4:f32[21]  read S2:f32.reshape[24].strided(2, [1])[21]  # graph step 1
step 1 move  write S4:f32.strided(6, [6, 1])[2, 3]  read S3:f32[2, 3]  # graph step 1
output 0 read S4:f32.strided(0, [6, 1])[4, 3]
output 1 scalar 
unknown no-metadata aten.as_strided.default
unknown no-metadata f
)fx"},
    {"of a whole one all that it holds", R"fx(e: "f32[4, 6]", s: "f32[2, 6]")fx",
     R"fx(a = torch.ops.aten.slice_scatter.default(e, s, 0, 1, 3)
f = torch.ops.aten.as_strided.default(a, [2], [1])
return (a, f))fx",
     R"fx(
storage S4 [4, 6]  fresh 0
step 0 move  write S4:f32[4, 6]  read S2:f32[4, 6]  # graph step 0
step 1 move  write S4:f32.slice(0, 1, step 1)[2, 6]  read S3:f32[2, 6]  # graph step 0
output 0 read S4:f32[4, 6]
output 1 read S4:f32.reshape[24].strided(0, [1])[2]
)fx"},
    {"strides are those of the storage", R"fx(e: "f32[4, 6]", s: "f32[2, 6]", t: "f32[4, 6][1, 4]")fx",
     R"fx(a = torch.ops.aten.as_strided_scatter.default(e, s, [2, 6], [6, 1], 3)
b = torch.ops.aten.as_strided_scatter.default(t, s, [2, 6], [6, 1], 3)
return (a, b))fx",
     R"fx(
storage S5 [4, 6]  fresh 0
storage S6 [4, 6]  fresh 1
step 0 move  write S5:f32[4, 6]  read S2:f32[4, 6]  # graph step 0
step 1 move  write S5:f32.reshape[24].strided(3, [6, 1])[2, 6]  read S3:f32[2, 6]  # graph step 0
step 2 move  write S6:f32[4, 6]  read S4:f32[4, 6]  # graph step 1
step 3 move  write S6:f32.permute(1, 0).reshape[24].strided(3, [6, 1])[2, 6]  read S3:f32[2, 6]  # graph step 1
output 0 read S5:f32[4, 6]
output 1 read S6:f32[4, 6]
)fx"},
    {"of its beginning at least", R"fx(e: "f32[4, 6]", s: "f32[1, 6]")fx",
     R"fx(p = torch.ops.aten.slice.Tensor(e, 0, 0, 2)
a = torch.ops.aten.as_strided_scatter.default(p, s, [1, 6], [6, 1], 3)
return (a,))fx",
     R"fx(
storage S4 [2, 6]  fresh 0
step 0 move  write S4:f32[2, 6]  read S2:f32.slice(0, 0, step 1)[2, 6]  # graph step 1
step 1 move  write S4:f32.reshape[12].strided(3, [6, 1])[1, 6]  read S3:f32[1, 6]  # graph step 1
output 0 read S4:f32[2, 6]
)fx"},
    {"not of another part", R"fx(e: "f32[4, 6]", s: "f32[1, 6]")fx",
     R"fx(p = torch.ops.aten.slice.Tensor(e, 0, 2, 4)
a = torch.ops.aten.as_strided_scatter.default(p, s, [1, 6], [6, 1], 3)
return (a,))fx",
     R"fx(
storage S4 [2, 6]  fresh 0
output 0 scalar 
unknown unsupported-op aten.as_strided_scatter.default (of a part of a storage)
unknown no-metadata a
)fx"},
    {"nor of one with gaps", R"fx(e: "f32[4, 6]", s: "f32[1, 2]")fx",
     R"fx(p = torch.ops.aten.slice.Tensor(e, 1, 0, 2)
a = torch.ops.aten.as_strided_scatter.default(p, s, [1, 2], [6, 1], 0)
return (a,))fx",
     R"fx(
storage S4 [20]  fresh 0
output 0 scalar 
unknown unsupported-op aten.as_strided_scatter.default (of a part of a storage)
unknown no-metadata a
)fx"},
    {"what replaces has the shape of what it replaces", R"fx(x: "f32[4, 3]", s: "f32[1, 3]")fx",
     R"fx(a = torch.ops.aten.slice_scatter.default(x, s, 0, 1, 3)
return (a,))fx",
     R"fx(
storage S4 [4, 3]  fresh 0
output 0 scalar 
unknown no-metadata aten.slice_scatter.default (shapes)
unknown no-metadata a
)fx"},
    {"which is there", R"fx(x: "f32[4, 3]", s: "f32[1, 3]")fx",
     R"fx(a = torch.ops.aten.slice_scatter.default(x, s, 5, 1, 3)
return (a,))fx",
     R"fx(
storage S4 [4, 3]  fresh 0
output 0 scalar 
unknown no-metadata aten.slice_scatter.default
unknown no-metadata a
)fx"},
};

}  // namespace

TEST_CASE("a scatter copies what lies in memory and writes a view of it", "[traced]") {
  check_rows(kScattered);
}

TEST_CASE("what may lie beyond a storage is not copied with the rest", "[traced]") {
  Case value = fx_case(R"fx(s0: "Sym(s0)", e: "f32[4, 3][6, 1]", s: "f32[2, 3]")fx",
                       "a = torch.ops.aten.slice_scatter.default(e, s, 0, 1, 3)\nreturn (a,)");
  value.after.inputs[0].storage_numel = SymExpr::symbol("s0");
  CHECK("\n" + fx_traced(value) == R"(
storage S4 [21]  fresh 0
step 0 move  write S4:f32.strided(0, [6, 1])[4, 3]  read S2:f32.strided(0, [6, 1])[4, 3]  # graph step 0
step 1 move  write S4:f32.strided(6, [6, 1])[2, 3]  read S3:f32[2, 3]  # graph step 0
output 0 read S4:f32.strided(0, [6, 1])[4, 3]
)");
}

}  // namespace scattered_test
