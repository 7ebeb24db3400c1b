// What is computed, as opaque steps of the Trace, and what is said of results.
#include "tests/unit/effects/fx_traced.h"

namespace computed_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

// table: what is computed
const FxRow kComputed[] = {
    {"what is computed is named by everything that is given but tensors", R"fx(x: "f32[2]", i: "i64[2]")fx",
     R"fx(a: "f32[2]" = torch.ops.aten.clamp.default(x, 0.5, None)
b: "f32[1]" = torch.ops.aten.sum.dim_IntList(x, [0], True, dtype = torch.float32)
c: "f32[1]" = torch.ops.aten.sum.dim_IntList(x, [0], keepdim = True)
d: "f32[2]" = torch.ops.aten.gelu.default(x, approximate = 'tanh')
e: "f32[2]" = torch.ops.aten.gelu.default(x, approximate = 'none')
f: "f32[2]" = torch.ops.aten.cumsum.default(x, 0)
return (a, b, c, d, e, f))fx",
     R"fx(
storage S4 [2]  fresh 0
storage S5 [1]  fresh 1
storage S6 [1]  fresh 2
storage S7 [2]  fresh 3
storage S8 [2]  fresh 4
storage S9 [2]  fresh 5
step 0 opaque "aten.clamp.default;T;0.5f;-"  write S4:f32[2]  read S2:f32[2]  # graph step 0
step 1 opaque "aten.sum.dim_IntList;T;[0,];true;dtype=f32"  write S5:f32[1]  read S2:f32[2]  # graph step 1
step 2 opaque "aten.sum.dim_IntList;T;[0,];true"  write S6:f32[1]  read S2:f32[2]  # graph step 2
step 3 opaque "aten.gelu.default;T;approximate=4'tanh'"  write S7:f32[2]  read S2:f32[2]  # graph step 3
step 4 opaque "aten.gelu.default;T"  write S8:f32[2]  read S2:f32[2]  # graph step 4
step 5 opaque "aten.cumsum.default;T;0"  write S9:f32[2]  read S2:f32[2]  # graph step 5
output 0 read S4:f32[2]
output 1 read S5:f32[1]
output 2 read S6:f32[1]
output 3 read S7:f32[2]
output 4 read S8:f32[2]
output 5 read S9:f32[2]
)fx"},
    {"whole numbers count alike where floats are computed, and nowhere else",
     R"fx(x: "f32[2]", i: "i64[2]")fx",
     R"fx(a: "f32[2]" = torch.ops.aten.add.Scalar(x, 2.0)
b: "f32[2]" = torch.ops.aten.add.Scalar(x, 2)
c: "f32[2]" = torch.ops.aten.add.Scalar(i, 2.0)
d: "f32[2]" = torch.ops.aten.add.Scalar(x, 2.5)
e: "f32[2]" = torch.ops.aten.hardtanh.default(x, -1.0, 2.0)
return (a, b, c, d, e))fx",
     R"fx(
storage S4 [2]  fresh 0
storage S5 [2]  fresh 1
storage S6 [2]  fresh 2
storage S7 [2]  fresh 3
storage S8 [2]  fresh 4
step 0 opaque "aten.add;T;2"  write S4:f32[2]  read S2:f32[2]  # graph step 0
step 1 opaque "aten.add;T;2"  write S5:f32[2]  read S2:f32[2]  # graph step 1
step 2 opaque "aten.add;T;2f"  write S6:f32[2]  read S3:i64[2]  # graph step 2
step 3 opaque "aten.add;T;2.5f"  write S7:f32[2]  read S2:f32[2]  # graph step 3
step 4 opaque "aten.hardtanh.default;T;-1;2"  write S8:f32[2]  read S2:f32[2]  # graph step 4
output 0 read S4:f32[2]
output 1 read S5:f32[2]
output 2 read S6:f32[2]
output 3 read S7:f32[2]
output 4 read S8:f32[2]
)fx"},
    {"arithmetic is named by what differs from what it does alone", R"fx(x: "f32[2]", y: "f32[2]")fx",
     R"fx(a: "f32[2]" = torch.ops.aten.add.Tensor(x, y, alpha = 1)
b: "f32[2]" = torch.ops.aten.add.Tensor(x, y, alpha = 2.0)
c: "f32[2]" = torch.ops.aten.add.out(x, y, out = a)
return (b, c))fx",
     R"fx(
storage S4 [2]  fresh 0
storage S5 [2]  fresh 1
step 0 opaque "aten.add;T;T"  write S4:f32[2]  read S2:f32[2], S3:f32[2]  # graph step 0
step 1 opaque "aten.add;T;T;alpha=2"  write S5:f32[2]  read S2:f32[2], S3:f32[2]  # graph step 1
step 2 opaque "aten.add;T;T"  write S4:f32[2]  read S2:f32[2], S3:f32[2]  # graph step 2
output 0 read S5:f32[2]
output 1 read S4:f32[2]
)fx"},
    {"what draws reads the generator and moves it on", R"fx(x: "f32[2]")fx",
     R"fx(a: "f32[2]" = torch.ops.aten.rand_like.default(x)
b: "f32[2]" = torch.ops.aten.bernoulli_.float(x, 0.5)
return (a, b))fx",
     R"fx(
storage S3 [2]  fresh 0
step 0 opaque "aten.rand_like.default;T;like f32[2,];order 0,"  write S3:f32[2], S0:token[]  read S0:token[]  # graph step 0
step 1 opaque "aten.bernoulli.p;T;0.5f;like f32[2,];order 0,"  write S2:f32[2], S0:token[]  read S0:token[]  # graph step 1
output 0 read S3:f32[2]
output 1 read S2:f32[2]
)fx"},
    {"lists are computed item by item", R"fx(x: "f32[2, 3]", y: "f32[4]")fx",
     R"fx(m = torch.ops.aten._foreach_neg.default([x, y])
a = m[0]
b = m[1]
return (a, b))fx",
     R"fx(
storage S4 [2, 3]  fresh 0
storage S5 [4]  fresh 1
step 0 opaque "aten.neg;T"  write S4:f32[2, 3]  read S2:f32[2, 3]  # graph step 0
step 1 opaque "aten.neg;T"  write S5:f32[4]  read S3:f32[4]  # graph step 0
output 0 read S4:f32[2, 3]
output 1 read S5:f32[4]
)fx"},
    {"in one step where items meet", R"fx(x: "f32[4]", y: "f32[4]")fx",
     R"fx(m = torch.ops.aten._foreach_add_.List([x, y], [y, x])
return (x, y))fx",
     R"fx(
step 0 opaque "aten._foreach_add.List;[T,T,];[T,T,]"  write S2:f32[4], S3:f32[4]  read S2:f32[4], S3:f32[4], S3:f32[4], S2:f32[4]  # graph step 0
output 0 read S2:f32[4]
output 1 read S3:f32[4]
)fx"},
    {"a result that nobody asks for is written all the same", R"fx(x: "f32[2, 3]")fx",
     R"fx(n = torch.ops.aten.max.dim(x, 1)
c: "i64[2]" = n[1]
return (c,))fx",
     R"fx(
storage S3 [2]  fresh 0
storage S4 [2]  fresh 1
step 0 opaque "aten.max.dim;T;1;false"  write S3:f32[2], S4:i64[2]  read S2:f32[2, 3]  # graph step 0
output 0 read S4:i64[2]
)fx"},
    {"targets of a list that are more than it has", R"fx(x: "f32[2]", y: "f32[2]", z: "f32[2]")fx",
     R"fx(m = torch.ops.aten._foreach_neg.out([x], out = [y, z])
return (y, z))fx",
     R"fx(
output 0 read S3:f32[2]
output 1 read S4:f32[2]
unknown no-metadata aten._foreach_neg.out (whether its target takes it)
)fx"},
    {"what is computed has its target's rank", R"fx(x: "f32[2, 3]", y: "f32[5, 2, 3]")fx",
     R"fx(a = torch.ops.aten.add_.Tensor(x, y)
return (a,))fx",
     R"fx(
output 0 scalar 
claim rank said 2 computed ?  # graph step 0
claim size said 2 computed 5  # graph step 0
claim size said 3 computed 2  # graph step 0
unknown no-metadata aten.add_.Tensor (shapes)
unknown no-metadata a
)fx"},
    {"and its sizes", R"fx(x: "f32[2, 3]", y: "f32[1, 3]")fx",
     R"fx(a = torch.ops.aten.add_.Tensor(y, x)
return (a,))fx",
     R"fx(
output 0 scalar 
claim size said 1 computed 2  # graph step 0
unknown no-metadata aten.add_.Tensor (shapes)
unknown no-metadata a
)fx"},
    {"and no wider type", R"fx(x: "i32[2, 3]", y: "f32[2, 3]")fx",
     R"fx(a = torch.ops.aten.add_.Tensor(x, y)
return (a,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.add_.Tensor (type of its target)
unknown no-metadata a
)fx"},
    {"but a narrower one", R"fx(x: "i32[2, 3]", y: "f32[2, 3]")fx",
     R"fx(a = torch.ops.aten.add_.Tensor(y, x)
return (a,))fx",
     R"fx(
step 0 opaque "aten.add;T;T"  write S3:f32[2, 3]  read S3:f32[2, 3], S2:i32[2, 3]  # graph step 0
output 0 read S3:f32[2, 3]
)fx"},
    {"a normalization in training writes what it keeps",
     R"fx(x: "f32[2, 3]", w: "f32[3]", b: "f32[3]", m: "f32[3]", v: "f32[3]")fx",
     R"fx(a: "f32[2, 3]" = torch.ops.aten.batch_norm.default(x, w, b, m, v, True, 0.5, 0.25, False)
c: "f32[2, 3]" = torch.ops.aten.batch_norm.default(x, w, b, m, v, False, 0.5, 0.25, False)
return (a, c))fx",
     R"fx(
storage S7 [2, 3]  fresh 0
storage S8 [2, 3]  fresh 1
step 0 opaque "aten.batch_norm.default;T;T;T;T;T;true;0.5f;0.25f;false"  write S7:f32[2, 3], S5:f32[3], S6:f32[3]  read S2:f32[2, 3], S3:f32[3], S4:f32[3], S5:f32[3], S6:f32[3]  # graph step 0
step 1 opaque "aten.batch_norm.default;T;T;T;T;T;false;0.5f;0.25f;false"  write S8:f32[2, 3]  read S2:f32[2, 3], S3:f32[3], S4:f32[3], S5:f32[3], S6:f32[3]  # graph step 1
output 0 read S7:f32[2, 3]
output 1 read S8:f32[2, 3]
)fx"},
    {"as its flag says, which is known",
     R"fx(x: "f32[2, 3]", w: "f32[3]", b: "f32[3]", m: "f32[3]", v: "f32[3]", s0: "Sym(s0)")fx",
     R"fx(a: "f32[2, 3]" = torch.ops.aten.batch_norm.default(x, w, b, m, v, s0, 0.5, 0.25, False)
return (a,))fx",
     R"fx(
output 0 scalar 
unknown unsupported-op aten.batch_norm.default
unknown no-metadata a
)fx"},
    {"a collective ends at its first wait", R"fx(x: "f32[4]")fx",
     R"fx(a: "f32[4]" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
b: "f32[4]" = torch.ops._c10d_functional.wait_tensor.default(a)
c: "f32[4]" = torch.ops._c10d_functional.wait_tensor.default(b)
return (b, c))fx",
     R"fx(
storage S3 [4]  fresh 0
step 0 opaque "_c10d_functional.all_reduce.default;T;3'sum';1'0'"  write S3:f32[4], S1:token[]  read S2:f32[4], S1:token[]  # graph step 0
step 1 opaque "wait"  write S3:f32[4]  read S3:f32[4]  # graph step 1
output 0 read S3:f32[4]
output 1 read S3:f32[4]
)fx"},
    {"in its own place as well", R"fx(x: "f32[4]")fx",
     R"fx(a: "f32[4]" = torch.ops._c10d_functional.all_reduce_.default(x, 'sum', '0')
b: "f32[4]" = torch.ops._c10d_functional.wait_tensor.default(a)
return (b,))fx",
     R"fx(
step 0 opaque "_c10d_functional.all_reduce.default;T;3'sum';1'0'"  write S2:f32[4], S1:token[]  read S2:f32[4], S1:token[]  # graph step 0
step 1 opaque "wait"  write S2:f32[4]  read S2:f32[4]  # graph step 1
output 0 read S2:f32[4]
)fx"},
    {"what it is given is in use until then", R"fx(x: "f32[4]")fx",
     R"fx(a: "f32[8]" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
b: "f32[8]" = torch.ops._c10d_functional.wait_tensor.default(a)
return (b,))fx",
     R"fx(
storage S3 [8]  fresh 0
step 0 opaque "_c10d_functional.all_gather_into_tensor.default;T;2;1'0'"  write S3:f32[8], S1:token[]  read S2:f32[4], S1:token[]  # graph step 0
step 1 opaque "wait"  write S3:f32[8]  read S3:f32[8], S2:f32[4]  # graph step 1
output 0 read S3:f32[8]
)fx"},
    {"but what it writes is read once", R"fx(x: "f32[4]", o: "f32[8]")fx",
     R"fx(a: "f32[8]" = torch.ops._c10d_functional.all_gather_into_tensor_out.default(x, 2, '0', out = o)
b: "f32[8]" = torch.ops._c10d_functional.wait_tensor.default(a)
return (b,))fx",
     R"fx(
step 0 opaque "_c10d_functional.all_gather_into_tensor.default;T;2;1'0'"  write S3:f32[8], S1:token[]  read S2:f32[4], S1:token[]  # graph step 0
step 1 opaque "wait"  write S3:f32[8]  read S3:f32[8], S2:f32[4]  # graph step 1
output 0 read S3:f32[8]
)fx"},
    {"of each item", R"fx(x: "f32[4]", y: "f32[4]")fx",
     R"fx(m = torch.ops._c10d_functional.all_reduce_coalesced.default([x, y], 'sum', '0')
a: "f32[4]" = m[0]
b: "f32[4]" = m[1]
c: "f32[4]" = torch.ops._c10d_functional.wait_tensor.default(a)
return (b, c))fx",
     R"fx(
storage S4 [4]  fresh 0
storage S5 [4]  fresh 1
step 0 opaque "_c10d_functional.all_reduce_coalesced.default;[T,T,];3'sum';1'0'"  write S4:f32[4], S5:f32[4], S1:token[]  read S2:f32[4], S3:f32[4], S1:token[]  # graph step 0
step 1 opaque "wait"  write S4:f32[4]  read S4:f32[4]  # graph step 1
output 0 read S5:f32[4]
output 1 read S4:f32[4]
unknown not-replayed _c10d_functional.all_reduce_coalesced.default in flight
)fx"},
    {"nobody waits for what nobody knows", R"fx(x: "f32[2]")fx",
     R"fx(u = torch.ops.zoo.unknown.default(x)
c: "f32[2]" = torch.ops._c10d_functional.wait_tensor.default(u)
return (c,))fx",
     R"fx(
output 0 scalar 
unknown unsupported-op zoo.unknown.default
unknown no-metadata _c10d_functional.wait_tensor.default
unknown no-metadata c
)fx"},
};

// table: what is said
const FxRow kSaid[] = {
    {"what is said of a result is held against what its operator makes", R"fx(x: "f32[2, 3]")fx",
     R"fx(a: "f32[2, 4][4, 1]" = torch.ops.aten.cumsum.default(x, 0)
b: "f32[6][1]" = torch.ops.aten.cumsum.default(x, 0)
c: "f16[2, 3][3, 1]" = torch.ops.aten.neg.default(x)
return (a, b, c))fx",
     R"fx(
storage S3 [2, 4]  fresh 0
storage S4 [6]  fresh 1
storage S5 [2, 3]  fresh 2
step 0 opaque "aten.cumsum.default;T;0"  write S3:f32[2, 4]  read S2:f32[2, 3]  # graph step 0
step 1 opaque "aten.cumsum.default;T;0"  write S4:f32[6]  read S2:f32[2, 3]  # graph step 1
step 2 opaque "aten.neg;T"  write S5:f16[2, 3]  read S2:f32[2, 3]  # graph step 2
output 0 read S3:f32[2, 4]
output 1 read S4:f32[6]
output 2 read S5:f16[2, 3]
claim size said 4 computed 3  # graph step 0
claim rank said 1 computed ?  # graph step 1
claim dtype said 2 computed ?  # graph step 2
)fx"},
    {"its strides say where it lies", R"fx(x: "f32[2, 3]")fx",
     R"fx(a: "f32[2, 3][1, 2]" = torch.ops.aten.neg.default(x)
b: "f32[2, 3][6, 2]" = torch.ops.aten.neg.default(x)
c: "f32[2, 3][0, 1]" = torch.ops.aten.neg.default(x)
d = torch.ops.aten.as_strided.default(a, [6], [1])
e = torch.ops.aten.as_strided.default(b, [6], [1])
f = torch.ops.aten.as_strided.default(c, [3], [1])
return (d, e, f))fx",
     R"fx(
storage S3 [2, 3]  fresh 0
storage S4 [11]  fresh 1
storage S5 [3]  fresh 2
step 0 opaque "aten.neg;T"  write S3:f32[2, 3]  read S2:f32[2, 3]  # graph step 0
step 1 opaque "aten.neg;T"  write S4:f32.strided(0, [6, 2])[2, 3]  read S2:f32[2, 3]  # graph step 1
step 2 opaque "aten.neg;T"  write S5:f32.strided(0, [0, 1])[2, 3]  read S2:f32[2, 3]  # graph step 2
output 0 read S3:f32.permute(1, 0).reshape[6].strided(0, [1])[6]
output 1 read S4:f32.reshape[11].strided(0, [1])[6]
output 2 read S5:f32.reshape[3].strided(0, [1])[3]
)fx"},
    {"gaps between rows of unknown number are left out where rows surely lie apart",
     R"fx(s0: "Sym(s0)", x: "f32[s0, 4]")fx",
     R"fx(a: "f32[s0, 4][8, 1]" = torch.ops.aten.neg.default(x)
b: "f32[s0, 4][4, 1]" = torch.ops.aten.neg.default(x)
c: "f32[s0, 4][5, 1]" = torch.ops.aten.neg.default(x)
d: "f32[s0, 4][3, 1]" = torch.ops.aten.neg.default(x)
e: "f32[s0, 4][1, 0]" = torch.ops.aten.neg.default(x)
return (a, b, c, d, e))fx",
     R"fx(
storage S3 [s0, 4]  fresh 0
storage S4 [s0, 4]  fresh 1
storage S5 [s0, 4]  fresh 2
storage S6 [1+3*s0]  fresh 3
storage S7 [s0]  fresh 4
step 0 opaque "aten.neg;T"  write S3:f32[s0, 4]  read S2:f32[s0, 4]  # graph step 0
step 1 opaque "aten.neg;T"  write S4:f32[s0, 4]  read S2:f32[s0, 4]  # graph step 1
step 2 opaque "aten.neg;T"  write S5:f32[s0, 4]  read S2:f32[s0, 4]  # graph step 2
step 3 opaque "aten.neg;T"  write S6:f32.strided(0, [3, 1])[s0, 4]  read S2:f32[s0, 4]  # graph step 3
step 4 opaque "aten.neg;T"  write S7:f32.strided(0, [1, 0])[s0, 4]  read S2:f32[s0, 4]  # graph step 4
output 0 read S3:f32[s0, 4]
output 1 read S4:f32[s0, 4]
output 2 read S5:f32[s0, 4]
output 3 read S6:f32.strided(0, [3, 1])[s0, 4]
output 4 read S7:f32.strided(0, [1, 0])[s0, 4]
)fx"},
    {"which of these a storage holds nobody says by number, but where all are held",
     R"fx(s0: "Sym(s0)", x: "f32[s0 + 1, 4]")fx",
     R"fx(a: "f32[s0 + 1, 4][8, 1]" = torch.ops.aten.neg.default(x)
b: "f32[s0 + 1, 4][3, 1]" = torch.ops.aten.neg.default(x)
c = torch.ops.aten.as_strided.default(a, [0], [1])
d = torch.ops.aten.as_strided.default(b, [0], [1])
return (c, d))fx",
     R"fx(
storage S3 [1+s0, 4]  fresh 0
storage S4 [4+3*s0]  fresh 1
step 0 opaque "aten.neg;T"  write S3:f32[1+s0, 4]  read S2:f32[1+s0, 4]  # graph step 0
step 1 opaque "aten.neg;T"  write S4:f32.strided(0, [3, 1])[1+s0, 4]  read S2:f32[1+s0, 4]  # graph step 1
output 0 scalar 
output 1 read S4:f32.reshape[4+3*s0].strided(0, [1])[0]
unknown no-metadata aten.as_strided.default
unknown no-metadata c
)fx"},
    {"each dimension steps over all of the smaller ones, in whole steps",
     R"fx(s0: "Sym(s0)", x: "f32[s0, 3, 2]")fx",
     R"fx(a: "f32[s0, 3, 2][3, 2, 1]" = torch.ops.aten.neg.default(x)
b: "f32[s0, 3, 2][12, 4, 1]" = torch.ops.aten.neg.default(x)
c: "f32[s0, 3, 2][12, 4, 2]" = torch.ops.aten.neg.default(x)
d: "f32[s0, 3, 2][8, 4, 1]" = torch.ops.aten.neg.default(x)
e: "f32[s0, 3, 2][8, 2, 1]" = torch.ops.aten.neg.default(x)
return (a, b, c, d, e))fx",
     R"fx(
storage S3 [3+3*s0]  fresh 0
storage S4 [s0, 3, 2]  fresh 1
storage S5 [s0, 3, 2]  fresh 2
storage S6 [2+8*s0]  fresh 3
storage S7 [s0, 3, 2]  fresh 4
step 0 opaque "aten.neg;T"  write S3:f32.strided(0, [3, 2, 1])[s0, 3, 2]  read S2:f32[s0, 3, 2]  # graph step 0
step 1 opaque "aten.neg;T"  write S4:f32[s0, 3, 2]  read S2:f32[s0, 3, 2]  # graph step 1
step 2 opaque "aten.neg;T"  write S5:f32[s0, 3, 2]  read S2:f32[s0, 3, 2]  # graph step 2
step 3 opaque "aten.neg;T"  write S6:f32.strided(0, [8, 4, 1])[s0, 3, 2]  read S2:f32[s0, 3, 2]  # graph step 3
step 4 opaque "aten.neg;T"  write S7:f32[s0, 3, 2]  read S2:f32[s0, 3, 2]  # graph step 4
output 0 read S3:f32.strided(0, [3, 2, 1])[s0, 3, 2]
output 1 read S4:f32[s0, 3, 2]
output 2 read S5:f32[s0, 3, 2]
output 3 read S6:f32.strided(0, [8, 4, 1])[s0, 3, 2]
output 4 read S7:f32[s0, 3, 2]
)fx"},
    {"in whatever order dimensions lie", R"fx(s0: "Sym(s0)", x: "f32[4, s0, 2]")fx",
     R"fx(a: "f32[4, s0, 2][2, 16, 1]" = torch.ops.aten.neg.default(x)
b: "f32[4, s0, 2][1, 16, 8]" = torch.ops.aten.neg.default(x)
c: "f32[4, s0, 2][1, 16, 2]" = torch.ops.aten.neg.default(x)
d: "f32[4, s0, 2][1, 4, 4*s0]" = torch.ops.aten.neg.default(x)
return (a, b, c, d))fx",
     R"fx(
storage S3 [4, s0, 2]  fresh 0
storage S4 [4, s0, 2]  fresh 1
storage S5 [-10+16*s0]  fresh 2
storage S6 [4, s0, 2]  fresh 3
step 0 opaque "aten.neg;T"  write S3:f32[4, s0, 2]  read S2:f32[4, s0, 2]  # graph step 0
step 1 opaque "aten.neg;T"  write S4:f32[4, s0, 2]  read S2:f32[4, s0, 2]  # graph step 1
step 2 opaque "aten.neg;T"  write S5:f32.strided(0, [1, 16, 2])[4, s0, 2]  read S2:f32[4, s0, 2]  # graph step 2
step 3 opaque "aten.neg;T"  write S6:f32[4, s0, 2]  read S2:f32[4, s0, 2]  # graph step 3
output 0 read S3:f32[4, s0, 2]
output 1 read S4:f32[4, s0, 2]
output 2 read S5:f32.strided(0, [1, 16, 2])[4, s0, 2]
output 3 read S6:f32[4, s0, 2]
)fx"},
    {"a single row lies anywhere", R"fx(s0: "Sym(s0)", x: "f32[1, s0, 2]")fx",
     R"fx(a: "f32[1, s0, 2][1, 8, 1]" = torch.ops.aten.neg.default(x)
b: "f32[1, s0, 2][0, 2, 1]" = torch.ops.aten.neg.default(x)
return (a, b))fx",
     R"fx(
storage S3 [1, s0, 2]  fresh 0
storage S4 [1, s0, 2]  fresh 1
step 0 opaque "aten.neg;T"  write S3:f32[1, s0, 2]  read S2:f32[1, s0, 2]  # graph step 0
step 1 opaque "aten.neg;T"  write S4:f32[1, s0, 2]  read S2:f32[1, s0, 2]  # graph step 1
output 0 read S3:f32[1, s0, 2]
output 1 read S4:f32[1, s0, 2]
)fx"},
    {"what is said of a view is what it is", R"fx(x: "f32[2, 3]")fx",
     R"fx(a: "f32[3, 2][2, 1]" = torch.ops.aten.t.default(x)
b: "f32[3, 2, 1][1, 3, 7]" = torch.ops.aten.permute.default(x, [1, 0])
c: "f16[3, 2][1, 3]" = torch.ops.aten.t.default(x)
d: "f32[2, 3][1, 3]" = torch.ops.aten.t.default(x)
return (a, b, c, d))fx",
     R"fx(
output 0 read S2:f32.permute(1, 0)
output 1 read S2:f32.permute(1, 0)
output 2 read S2:f32.permute(1, 0)
output 3 read S2:f32.permute(1, 0)
claim stride said 2 computed 1  # graph step 0
claim stride said 1 computed 3  # graph step 0
claim rank said 3 computed 2  # graph step 1
claim dtype said 2 computed 1  # graph step 2
claim size said 2 computed 3  # graph step 3
claim size said 3 computed 2  # graph step 3
)fx"},
    {"but for strides that nobody sees", R"fx(z: "f32[0, 3]", o: "f32[1, 3]")fx",
     R"fx(a: "f32[3, 0][9, 1]" = torch.ops.aten.t.default(z)
b: "f32[3, 1][1, 7]" = torch.ops.aten.t.default(o)
return (a, b))fx",
     R"fx(
output 0 read S2:f32.permute(1, 0)
output 1 read S3:f32.permute(1, 0)
)fx"},
    {"what nobody says and no rule gives is not known", R"fx(x: "f32[2, 3]")fx",
     R"fx(a = torch.ops.aten.conj.default(x)
b = torch.ops.aten.grid_sampler_2d.default(x, x, 0, 0, False)
return (a, b))fx",
     R"fx(
output 0 read S2:f32[2, 3]
output 1 scalar 
unknown no-metadata aten.grid_sampler_2d.default
unknown no-metadata b
)fx"},
};

}  // namespace

TEST_CASE("a step is named by what it computes, and reads and writes what its schema says", "[traced]") {
  check_rows(kComputed);
}
TEST_CASE("what is said of a result is believed where nothing else is known, else compared", "[traced]") {
  check_rows(kSaid);
}

}  // namespace computed_test
