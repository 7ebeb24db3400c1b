// What joins tensors, and what writes its result into an argument, as moves of the Trace.
#include "tests/unit/effects/fx_traced.h"

namespace joined_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

// table: what is joined
const FxRow kJoined[] = {
    {"pieces lie one behind the other along a dimension, counted from either end",
     R"fx(x: "f32[2, 3]", y: "f32[1, 3]", z: "f32[2, 1]")fx",
     R"fx(r = torch.ops.aten.cat.default([x, y])
s = torch.ops.aten.cat.default([x, z], -1)
return (r, s))fx",
     R"fx(
storage S5 [3, 3]  unwritten f32,3,3 0
storage S6 [2, 4]  unwritten f32,2,4 0
step 0 fill f32:0  write S5:f32[3, 3]  # graph step 0
step 1 move  write S5:f32.slice(0, 0, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
step 2 move  write S5:f32.slice(0, 2, step 1)[1, 3]  read S3:f32[1, 3]  # graph step 0
step 3 fill f32:0  write S6:f32[2, 4]  # graph step 1
step 4 move  write S6:f32.slice(1, 0, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 1
step 5 move  write S6:f32.slice(1, 3, step 1)[2, 1]  read S4:f32[2, 1]  # graph step 1
output 0 read S5:f32[3, 3]
output 1 read S6:f32[2, 4]
)fx"},
    {"of pieces of a size that a symbol gives as well",
     R"fx(s0: "Sym(s0)", x: "f32[s0, 3]", y: "f32[2, 3]")fx",
     R"fx(r = torch.ops.aten.cat.default([y, x, y])
return (r,))fx",
     R"fx(
storage S4 [4+s0, 3]  unwritten f32,4+s0,3 0
step 0 fill f32:0  write S4:f32[4+s0, 3]  # graph step 0
step 1 move  write S4:f32.slice(0, 0, step 1)[2, 3]  read S3:f32[2, 3]  # graph step 0
step 2 move  write S4:f32.slice(0, 2, step 1)[s0, 3]  read S2:f32[s0, 3]  # graph step 0
step 3 move  write S4:f32.slice(0, 2+s0, step 1)[2, 3]  read S3:f32[2, 3]  # graph step 0
output 0 read S4:f32[4+s0, 3]
)fx"},
    {"of no dimension behind the last, or before the first", R"fx(x: "f32[2, 3]")fx",
     R"fx(r = torch.ops.aten.cat.default([x, x], 2)
return (r,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.cat.default
unknown no-metadata r
)fx"},
    {"of no dimension before the first", R"fx(x: "f32[2, 3]")fx",
     R"fx(r = torch.ops.aten.cat.default([x, x], -3)
return (r,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.cat.default
unknown no-metadata r
)fx"},
    {"what differs elsewhere is not joined", R"fx(x: "f32[2, 3]", y: "f32[2, 4]")fx",
     R"fx(r = torch.ops.aten.cat.default([x, y])
return (r,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.cat.default (shapes)
unknown no-metadata r
)fx"},
    {"nor what has another rank", R"fx(x: "f32[2, 3]", y: "f32[3]")fx",
     R"fx(r = torch.ops.aten.cat.default([x, y])
return (r,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.cat.default
unknown no-metadata r
)fx"},
    {"nor nothing", R"fx(x: "f32[2, 3]")fx",
     R"fx(r = torch.ops.aten.cat.default([])
return (r,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.cat.default
unknown no-metadata r
)fx"},
    {"nor what is not known", R"fx(x: "f32[2, 3]")fx",
     R"fx(u = torch.ops.zoo.unknown.default(x)
r = torch.ops.aten.cat.default([x, u])
return (r,))fx",
     R"fx(
output 0 scalar 
unknown unsupported-op zoo.unknown.default
unknown no-metadata aten.cat.default
unknown no-metadata r
)fx"},
    {"an empty vector fits anywhere but is no piece, unless it is the only one",
     R"fx(x: "f32[2, 3]", e: "f32[0]", m: "f32[0, 3]")fx",
     R"fx(r = torch.ops.aten.cat.default([e, x, m], 0)
s = torch.ops.aten.cat.default([e], 0)
t = torch.ops.aten.stack.default([e, e])
return (r, s, t))fx",
     R"fx(
storage S5 [2, 3]  unwritten f32,2,3 0
storage S6 [0]  unwritten f32,0 0
storage S7 [2, 0]  unwritten f32,2,0 0
step 0 fill f32:0  write S5:f32[2, 3]  # graph step 0
step 1 move  write S5:f32[2, 3]  read S2:f32[2, 3]  # graph step 0
step 2 fill f32:0  write S6:f32[0]  # graph step 1
step 3 fill f32:0  write S7:f32[2, 0]  # graph step 2
step 4 move  write S7:f32.slice(0, 0, step 1)[1, 0]  read S3:f32.reshape[1, 0]  # graph step 2
step 5 move  write S7:f32.slice(0, 1, step 1)[1, 0]  read S3:f32.reshape[1, 0]  # graph step 2
output 0 read S5:f32[2, 3]
output 1 read S6:f32[0]
output 2 read S7:f32[2, 0]
)fx"},
    {"the result has the type that holds both", R"fx(h: "f16[2]", k: "f32[2]")fx",
     R"fx(u = torch.ops.aten.cat.default([h, k])
return (u,))fx",
     R"fx(
storage S4 [4]  unwritten f32,4 0
step 0 fill f32:0  write S4:f32[4]  # graph step 0
step 1 move  write S4:f32.slice(0, 0, step 1)[2]  read S2:f16[2]  # graph step 0
step 2 move  write S4:f32.slice(0, 2, step 1)[2]  read S3:f32[2]  # graph step 0
output 0 read S4:f32[4]
)fx"},
    {"a stack has a dimension of its own, the last one too", R"fx(x: "f32[2, 3]")fx",
     R"fx(r = torch.ops.aten.stack.default([x, x], 1)
s = torch.ops.aten.stack.default([x, x], -1)
t = torch.ops.aten.stack.default([x, x], 2)
return (r, s, t))fx",
     R"fx(
storage S3 [2, 2, 3]  unwritten f32,2,2,3 0
storage S4 [2, 3, 2]  unwritten f32,2,3,2 0
storage S5 [2, 3, 2]  unwritten f32,2,3,2 1
step 0 fill f32:0  write S3:f32[2, 2, 3]  # graph step 0
step 1 move  write S3:f32.slice(1, 0, step 1)[2, 1, 3]  read S2:f32.reshape[2, 1, 3]  # graph step 0
step 2 move  write S3:f32.slice(1, 1, step 1)[2, 1, 3]  read S2:f32.reshape[2, 1, 3]  # graph step 0
step 3 fill f32:0  write S4:f32[2, 3, 2]  # graph step 1
step 4 move  write S4:f32.slice(2, 0, step 1)[2, 3, 1]  read S2:f32.reshape[2, 3, 1]  # graph step 1
step 5 move  write S4:f32.slice(2, 1, step 1)[2, 3, 1]  read S2:f32.reshape[2, 3, 1]  # graph step 1
step 6 fill f32:0  write S5:f32[2, 3, 2]  # graph step 2
step 7 move  write S5:f32.slice(2, 0, step 1)[2, 3, 1]  read S2:f32.reshape[2, 3, 1]  # graph step 2
step 8 move  write S5:f32.slice(2, 1, step 1)[2, 3, 1]  read S2:f32.reshape[2, 3, 1]  # graph step 2
output 0 read S3:f32[2, 2, 3]
output 1 read S4:f32[2, 3, 2]
output 2 read S5:f32[2, 3, 2]
)fx"},
    {"but none behind that", R"fx(x: "f32[2, 3]")fx",
     R"fx(t = torch.ops.aten.stack.default([x, x], 3)
return (t,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.stack.default
unknown no-metadata t
)fx"},
    {"what is said of the result otherwise is not believed", R"fx(x: "f32[2, 3]")fx",
     R"fx(r: "f32[5, 3]" = torch.ops.aten.cat.default([x, x])
return (r,))fx",
     R"fx(
storage S3 [5, 3]  unwritten f32,5,3 0
output 0 scalar 
claim size said 5 computed 4  # graph step 0
unknown no-metadata aten.cat.default
unknown no-metadata r
)fx"},
    {"but its strides are", R"fx(x: "f32[2, 3]")fx",
     R"fx(r: "f32[4, 3][1, 4]" = torch.ops.aten.cat.default([x, x])
s = torch.ops.aten.as_strided.default(r, [12], [1])
return (s,))fx",
     R"fx(
storage S3 [4, 3]  unwritten f32,4,3 0
step 0 fill f32:0  write S3:f32[4, 3]  # graph step 0
step 1 move  write S3:f32.slice(0, 0, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
step 2 move  write S3:f32.slice(0, 2, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
output 0 read S3:f32.permute(1, 0).reshape[12].strided(0, [1])[12]
)fx"},
    {"along a dimension that is a number", R"fx(x: "f32[2, 3]", s0: "Sym(s0)")fx",
     R"fx(r = torch.ops.aten.cat.default([x, x], s0)
return (r,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.cat.default
unknown no-metadata r
)fx"},
};

// table: what is written
const FxRow kOut[] = {
    {"what out= holds is what the functional form gives", R"fx(x: "f32[2, 3]", o: "f32[4, 3]")fx",
     R"fx(r = torch.ops.aten.cat.out([x, x], out = o)
return (r, o))fx",
     R"fx(
storage S4 [4, 3]  unwritten f32,4,3 0
step 0 fill f32:0  write S4:f32[4, 3]  # graph step 0
step 1 move  write S4:f32.slice(0, 0, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
step 2 move  write S4:f32.slice(0, 2, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
step 3 move  write S3:f32[4, 3]  read S4:f32[4, 3]  # graph step 0
output 0 read S3:f32[4, 3]
output 1 read S3:f32[4, 3]
)fx"},
    {"also where nobody asks for the result", R"fx(x: "f32[2, 3]", o: "f32[4, 3]")fx",
     R"fx(r = torch.ops.aten.cat.out([x, x], out = o)
return (o,))fx",
     R"fx(
storage S4 [4, 3]  unwritten f32,4,3 0
step 0 fill f32:0  write S4:f32[4, 3]  # graph step 0
step 1 move  write S4:f32.slice(0, 0, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
step 2 move  write S4:f32.slice(0, 2, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
step 3 move  write S3:f32[4, 3]  read S4:f32[4, 3]  # graph step 0
output 0 read S3:f32[4, 3]
)fx"},
    {"a part of a storage is written in part", R"fx(x: "f32[2, 3]", o: "f32[2, 6]")fx",
     R"fx(w = torch.ops.aten.slice.Tensor(o, 1, 0, 3)
r = torch.ops.aten.clone.out(x, out = w)
return (r,))fx",
     R"fx(
storage S4 [2, 3]  fresh 0
step 0 move  write S4:f32[2, 3]  read S2:f32[2, 3]  # graph step 1
step 1 move  write S3:f32.slice(1, 0, step 1)[2, 3]  read S4:f32[2, 3]  # graph step 1
output 0 read S3:f32.slice(1, 0, step 1)[2, 3]
)fx"},
    {"a view is stored, not shown", R"fx(x: "f32[2, 3]", o: "f32[3, 2]")fx",
     R"fx(r = torch.ops.aten.permute_copy.out(x, [1, 0], out = o)
return (r,))fx",
     R"fx(
storage S4 [3, 2]  fresh 0
step 0 move  write S4:f32[3, 2]  read S2:f32.permute(1, 0)  # graph step 0
step 1 move  write S3:f32[3, 2]  read S4:f32[3, 2]  # graph step 0
output 0 read S3:f32[3, 2]
)fx"},
    {"what is said of the result is said of out, not of what is made on the way, and of what comes next",
     R"fx(x: "f32[2, 3]", o: "f32[4, 3][1, 4]")fx",
     R"fx(r: "f32[4, 3][1, 4]" = torch.ops.aten.cat.out([x, x], out = o)
s: "f32[4, 3][3, 1]" = torch.ops.aten.clone.default(r)
t = torch.ops.aten.as_strided.default(s, [12], [1])
u = torch.ops.aten.as_strided.default(r, [12], [1])
return (t, u))fx",
     R"fx(
storage S4 [4, 3]  unwritten f32,4,3 0
storage S5 [4, 3]  fresh 0
step 0 fill f32:0  write S4:f32[4, 3]  # graph step 0
step 1 move  write S4:f32.slice(0, 0, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
step 2 move  write S4:f32.slice(0, 2, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
step 3 move  write S3:f32[4, 3]  read S4:f32[4, 3]  # graph step 0
step 4 move  write S5:f32[4, 3]  read S3:f32[4, 3]  # graph step 1
output 0 read S5:f32.reshape[12].strided(0, [1])[12]
output 1 read S3:f32.permute(1, 0).reshape[12].strided(0, [1])[12]
)fx"},
    {"an operand beside out is no operand of it", R"fx(o: "f32[4, 3]")fx",
     R"fx(p = torch.ops.aten.slice.Tensor(o, 0, 0, 1)
q = torch.ops.aten.slice.Tensor(o, 0, 2, 4)
r = torch.ops.aten.cat.out([p, p], out = q)
return (r,))fx",
     R"fx(
storage S3 [2, 3]  unwritten f32,2,3 0
step 0 fill f32:0  write S3:f32[2, 3]  # graph step 2
step 1 move  write S3:f32.slice(0, 0, step 1)[1, 3]  read S2:f32.slice(0, 0, step 1)[1, 3]  # graph step 2
step 2 move  write S3:f32.slice(0, 1, step 1)[1, 3]  read S2:f32.slice(0, 0, step 1)[1, 3]  # graph step 2
step 3 move  write S2:f32.slice(0, 2, step 1)[2, 3]  read S3:f32[2, 3]  # graph step 2
output 0 read S2:f32.slice(0, 2, step 1)[2, 3]
)fx"},
    {"one that meets it is not modelled", R"fx(o: "f32[4, 3]")fx",
     R"fx(p = torch.ops.aten.slice.Tensor(o, 0, 0, 2)
s = torch.ops.aten.cat.out([p, p], out = o)
return (s,))fx",
     R"fx(
output 0 scalar 
unknown unsupported-op aten.cat.out (an operand meets out)
unknown no-metadata s
)fx"},
    {"one that is no list neither", R"fx(o: "f32[4, 3]")fx",
     R"fx(p = torch.ops.aten.slice.Tensor(o, 0, 0, 2)
q = torch.ops.aten.slice.Tensor(o, 0, 1, 3)
s = torch.ops.aten.clone.out(p, out = q)
return (s,))fx",
     R"fx(
output 0 scalar 
unknown unsupported-op aten.clone.out (an operand meets out)
unknown no-metadata s
)fx"},
    {"out has the shape of the result", R"fx(x: "f32[2, 3]", o: "f32[5, 3]")fx",
     R"fx(s = torch.ops.aten.cat.out([x, x], out = o)
return (s,))fx",
     R"fx(
storage S4 [4, 3]  unwritten f32,4,3 0
step 0 fill f32:0  write S4:f32[4, 3]  # graph step 0
step 1 move  write S4:f32.slice(0, 0, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
step 2 move  write S4:f32.slice(0, 2, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
output 0 scalar 
unknown no-metadata aten.cat.out
unknown no-metadata s
)fx"},
    {"and its type", R"fx(x: "f32[2, 3]", h: "f16[4, 3]")fx",
     R"fx(s = torch.ops.aten.cat.out([x, x], out = h)
return (s,))fx",
     R"fx(
storage S4 [4, 3]  unwritten f32,4,3 0
step 0 fill f32:0  write S4:f32[4, 3]  # graph step 0
step 1 move  write S4:f32.slice(0, 0, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
step 2 move  write S4:f32.slice(0, 2, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
output 0 scalar 
unknown no-metadata aten.cat.out
unknown no-metadata s
)fx"},
    {"which a factory takes from it", R"fx(h: "f16[4, 3]")fx",
     R"fx(s = torch.ops.aten.zeros.out([4, 3], out = h)
t = torch.ops.aten.full.out([4, 3], 2, out = h)
return (s, t))fx",
     R"fx(
storage S3 [4, 3]  fresh 0
storage S4 [4, 3]  fresh 1
step 0 fill f16:0  write S3:f16[4, 3]  # graph step 0
step 1 move  write S2:f16[4, 3]  read S3:f16[4, 3]  # graph step 0
step 2 fill f16:2  write S4:f16[4, 3]  # graph step 1
step 3 move  write S2:f16[4, 3]  read S4:f16[4, 3]  # graph step 1
output 0 read S2:f16[4, 3]
output 1 read S2:f16[4, 3]
)fx"},
    {"out is known", R"fx(x: "f32[2, 3]")fx",
     R"fx(u = torch.ops.zoo.unknown.default(x)
s = torch.ops.aten.cat.out([x, x], out = u)
return (s,))fx",
     R"fx(
output 0 scalar 
unknown unsupported-op zoo.unknown.default
unknown no-metadata aten.cat.out
unknown no-metadata s
)fx"},
    {"what computes is one step, of several results too", R"fx(x: "f32[2, 3]", a: "f32[2]", b: "i64[2]")fx",
     R"fx(m = torch.ops.aten.max.dim_max(x, 1, max = a, max_values = b)
s = m[0]
t = m[1]
v = torch.ops.aten.add.out(a, a, out = a)
return (s, t, v))fx",
     R"fx(
step 0 opaque "aten.max.dim;T;1;false"  write S3:f32[2], S4:i64[2]  read S2:f32[2, 3]  # graph step 0
step 1 opaque "aten.add;T;T"  write S3:f32[2]  read S3:f32[2], S3:f32[2]  # graph step 1
output 0 read S3:f32[2]
output 1 read S4:i64[2]
output 2 read S3:f32[2]
)fx"},
    {"lists of results are written in one step", R"fx(x: "f32[4, 3]", a: "f32[2, 3]", b: "f32[2, 3]")fx",
     R"fx(n = torch.ops.aten.split_copy.Tensor_out(x, 2, out = [a, b])
return (a, b))fx",
     R"fx(
step 0 opaque "aten.split_copy.Tensor;T;2;0"  write S3:f32[2, 3], S4:f32[2, 3]  read S2:f32[4, 3]  # graph step 0
output 0 read S3:f32[2, 3]
output 1 read S4:f32[2, 3]
)fx"},
};

}  // namespace

TEST_CASE("cat and stack move each piece into its place", "[traced]") { check_rows(kJoined); }
TEST_CASE("what out= gets is computed beside it and moved there", "[traced]") { check_rows(kOut); }

TEST_CASE("what out= gets is what a copy of it would get, whether its result is asked for or not",
          "[traced]") {
  const std::string given = R"(x: "f32[2, 3]", o: "f32[4, 3]")";
  const std::string apart =
      "r = torch.ops.aten.cat.default([x, x])\nc = torch.ops.aten.copy_.default(o, r)\n";
  const std::string into = "c = torch.ops.aten.cat.out([x, x], out = o)\n";
  const std::string turned =
      "n = torch.ops.aten.neg.default(x)\nc = torch.ops.aten.cat.out([n, x], out = o)\n";
  for (const std::string output : {"return (x,)", "return (c,)"}) {
    CHECK(fx_status(fx_pair(given, apart + output, into + output)) == Status::proved);
    CHECK(fx_status(fx_pair(given, apart + output, turned + output)) == Status::refuted);
  }
}

// gemma_dyn of torch_trace_models: a slice that keeps all is dropped, and with it the first use of its size.
TEST_CASE("a size that a number of the caller's tells is made by no step", "[traced]") {
  const std::string given = R"fx(s: "Sym(s)", n: "Sym(n)", x: "f32[s]")fx";
  Case pair = fx_pair(given,
                      "v: \"f32[s]\" = torch.ops.aten.slice.Tensor(x, 0, n, 9223372036854775807)\n"
                      "w: \"f32[s]\" = torch.ops.aten.neg.default(v)\nreturn (w,)",
                      "w: \"f32[s + n]\" = torch.ops.aten.neg.default(x)\nreturn (w,)");
  pair.assume.push_back(*parse_relation("n == 0"));
  CHECK(pair.after.numbers.size() == 2);
  CHECK(fx_status(pair) == Status::proved);
  pair.after.numbers.clear();
  CHECK(fx_status(pair) == Status::unknown);
}

}  // namespace joined_test
