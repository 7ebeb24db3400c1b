// Names that come to stand for another view, lists of views, and operators that may be their argument.
#include "tests/unit/effects/fx_traced.h"

namespace renamed_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

// table: what names stand for
const FxRow kRenamed[] = {
    {"a name stands for another view, and results for what they were", R"fx(x: "f32[2, 3]")fx",
     R"fx(y = torch.ops.aten.clone.default(x)
a = torch.ops.aten.transpose_.default(y, 0, 1)
b = torch.ops.aten.neg.default(y)
c = torch.ops.aten.unsqueeze_.default(y, 0)
d = torch.ops.aten.squeeze_.default(c)
e = torch.ops.aten.neg.default(y)
return (b, e))fx",
     R"fx(
storage S3 [2, 3]  fresh 0
storage S4 [3, 2]  fresh 1
storage S5 [3, 2]  fresh 2
step 0 move  write S3:f32[2, 3]  read S2:f32[2, 3]  # graph step 0
step 1 opaque "aten.neg;T"  write S4:f32[3, 2]  read S3:f32.permute(1, 0)  # graph step 2
step 2 opaque "aten.neg;T"  write S5:f32[3, 2]  read S3:f32.permute(1, 0).reshape[1, 3, 2].reshape[3, 2]  # graph step 5
output 0 read S4:f32[3, 2]
output 1 read S5:f32[3, 2]
)fx"},
    {"that there is", R"fx(x: "f32[2, 3]")fx",
     R"fx(y = torch.ops.aten.clone.default(x)
a = torch.ops.aten.transpose_.default(y, 0, 5)
return (y,))fx",
     R"fx(
storage S3 [2, 3]  fresh 0
step 0 move  write S3:f32[2, 3]  read S2:f32[2, 3]  # graph step 0
output 0 read S3:f32[2, 3]
unknown no-metadata aten.transpose_.default
)fx"},
    {"but no input's does", R"fx(x: "f32[2, 3]")fx",
     R"fx(a = torch.ops.aten.t_.default(x)
return (x,))fx",
     R"fx(
output 0 read S2:f32[2, 3]
unknown unsupported-op aten.t_.default (of an input)
)fx"},
    {"or for another storage", R"fx(x: "f32[2, 3]", z: "f32[5]")fx",
     R"fx(y = torch.ops.aten.clone.default(x)
w = torch.ops.aten.clone.default(z)
a = torch.ops.aten.set_.source_Tensor(y, w)
b = torch.ops.aten.neg.default(y)
return (a, b))fx",
     R"fx(
storage S4 [2, 3]  fresh 0
storage S5 [5]  fresh 1
storage S6 [5]  fresh 2
step 0 move  write S4:f32[2, 3]  read S2:f32[2, 3]  # graph step 0
step 1 move  write S5:f32[5]  read S3:f32[5]  # graph step 1
step 2 opaque "aten.neg;T"  write S6:f32[5]  read S5:f32[5]  # graph step 3
output 0 read S5:f32[5]
output 1 read S6:f32[5]
)fx"},
    {"a whole one, by its name", R"fx(x: "f32[2, 3]")fx",
     R"fx(y = torch.ops.aten.clone.default(x)
a = torch.ops.aten.set_.default(y)
return (y,))fx",
     R"fx(
storage S3 [2, 3]  fresh 0
step 0 move  write S3:f32[2, 3]  read S2:f32[2, 3]  # graph step 0
output 0 read S3:f32[2, 3]
unknown unsupported-op aten.set_.default
)fx"},
    {"or for fewer elements of its own, from where it begins", R"fx(x: "f32[8]")fx",
     R"fx(y = torch.ops.aten.clone.default(x)
v = torch.ops.aten.slice.Tensor(y, 0, 2, 5)
a = torch.ops.aten.resize_.default(v, [2, 2])
b = torch.ops.aten.neg.default(v)
c = torch.ops.aten.resize_.default(v, [6])
d = torch.ops.aten.neg.default(v)
return (b, d))fx",
     R"fx(
storage S3 [8]  fresh 0
storage S4 [2, 2]  fresh 1
storage S5 [6]  fresh 2
step 0 move  write S3:f32[8]  read S2:f32[8]  # graph step 0
step 1 opaque "aten.neg;T"  write S4:f32[2, 2]  read S3:f32.reshape[8].strided(2, [2, 1])[2, 2]  # graph step 3
step 2 opaque "aten.neg;T"  write S5:f32[6]  read S3:f32.reshape[8].strided(2, [1])[6]  # graph step 5
output 0 read S4:f32[2, 2]
output 1 read S5:f32[6]
)fx"},
    {"which its shape leaves as they are", R"fx(x: "f32[8]")fx",
     R"fx(y = torch.ops.aten.clone.default(x)
v = torch.ops.aten.as_strided.default(y, [2, 2], [3, 1])
a = torch.ops.aten.resize_.default(v, [2, 2])
b = torch.ops.aten.neg.default(v)
return (b,))fx",
     R"fx(
storage S3 [8]  fresh 0
storage S4 [2, 2]  fresh 1
step 0 move  write S3:f32[8]  read S2:f32[8]  # graph step 0
step 1 opaque "aten.neg;T"  write S4:f32[2, 2]  read S3:f32.reshape[8].strided(0, [3, 1])[2, 2]  # graph step 3
output 0 read S4:f32[2, 2]
)fx"},
    {"not for more than there are", R"fx(x: "f32[8]")fx",
     R"fx(y = torch.ops.aten.clone.default(x)
v = torch.ops.aten.slice.Tensor(y, 0, 2, 4)
a = torch.ops.aten.resize_.default(v, [7])
return (v,))fx",
     R"fx(
storage S3 [8]  fresh 0
step 0 move  write S3:f32[8]  read S2:f32[8]  # graph step 0
output 0 read S3:f32.slice(0, 2, step 1)[2]
unknown unsupported-op aten.resize_.default (may need more storage)
)fx"},
    {"nor in another format", R"fx(x: "f32[1, 2, 3, 4]")fx",
     R"fx(y = torch.ops.aten.clone.default(x)
a = torch.ops.aten.resize_.default(y, [1, 2, 3, 4], memory_format = torch.channels_last)
return (y,))fx",
     R"fx(
storage S3 [1, 2, 3, 4]  fresh 0
step 0 move  write S3:f32[1, 2, 3, 4]  read S2:f32[1, 2, 3, 4]  # graph step 0
output 0 read S3:f32[1, 2, 3, 4]
unknown unsupported-op aten.resize_.default (may need more storage)
)fx"},
    {"each of a list as one dimension of a grid", R"fx(x: "f32[2]", y: "f32[3]", z: "f32[]")fx",
     R"fx(m = torch.ops.aten.meshgrid.default([x, y, z])
a = m[0]
b = m[1]
c = m[2]
return (a, b, c))fx",
     R"fx(
output 0 read S2:f32.reshape[2, 1, 1].expand[2, 3, 1]
output 1 read S3:f32.reshape[1, 3, 1].expand[2, 3, 1]
output 2 read S4:f32.reshape[1, 1, 1].expand[2, 3, 1]
)fx"},
    {"the first two exchanged where that is asked for", R"fx(x: "f32[2]", y: "f32[3]", z: "f32[4]")fx",
     R"fx(m = torch.ops.aten.meshgrid.indexing([x, y, z], indexing = 'xy')
a = m[0]
b = m[1]
c = m[2]
return (a, b, c))fx",
     R"fx(
output 0 read S2:f32.reshape[1, 2, 1].expand[3, 2, 4]
output 1 read S3:f32.reshape[3, 1, 1].expand[3, 2, 4]
output 2 read S4:f32.reshape[1, 1, 4].expand[3, 2, 4]
)fx"},
    {"of one there is nothing to exchange, of two there is", R"fx(x: "f32[2]", y: "f32[3]")fx",
     R"fx(m = torch.ops.aten.meshgrid.indexing([x], indexing = 'xy')
a = m[0]
n = torch.ops.aten.meshgrid.indexing([x, y], indexing = 'xy')
b = n[0]
c = n[1]
return (a, b, c))fx",
     R"fx(
output 0 read S2:f32.reshape[2]
output 1 read S2:f32.reshape[1, 2].expand[3, 2]
output 2 read S3:f32.reshape[3, 1].expand[3, 2]
)fx"},
    {"a matrix is no dimension", R"fx(x: "f32[2, 1]")fx",
     R"fx(m = torch.ops.aten.meshgrid.default([x])
a = m[0]
return (a,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.meshgrid.default
unknown no-metadata a
)fx"},
    {"nor is what nobody knows", R"fx(x: "f32[2]")fx",
     R"fx(u = torch.ops.zoo.unknown.default(x)
m = torch.ops.aten.meshgrid.default([x, u])
a = m[0]
return (a,))fx",
     R"fx(
output 0 scalar 
unknown unsupported-op zoo.unknown.default
unknown no-metadata aten.meshgrid.default
unknown no-metadata a
)fx"},
    {"each of a list repeated to one shape", R"fx(x: "f32[2, 1]", y: "f32[3]", z: "f32[]")fx",
     R"fx(m = torch.ops.aten.broadcast_tensors.default([x, y, z])
a = m[0]
b = m[1]
c = m[2]
return (a, b, c))fx",
     R"fx(
output 0 read S2:f32.expand[2, 3]
output 1 read S3:f32.reshape[1, 3].expand[2, 3]
output 2 read S4:f32.reshape[1, 1].expand[2, 3]
)fx"},
    {"where they have one", R"fx(x: "f32[2, 2]", y: "f32[3]")fx",
     R"fx(m = torch.ops.aten.broadcast_tensors.default([x, y])
a = m[0]
return (a,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.broadcast_tensors.default
unknown no-metadata a
)fx"},
    {"what is made on the way to out= has no name", R"fx(x: "f32[2, 3]", o: "f32[4, 3]")fx",
     R"fx(r = torch.ops.aten.cat.out([x, x], out = o)
y = torch.ops.aten.clone.default(x)
a = torch.ops.aten.t_.default(y)
b = torch.ops.aten.neg.default(y)
return (r, b))fx",
     R"fx(
storage S4 [4, 3]  unwritten f32,4,3 0
storage S5 [2, 3]  fresh 0
storage S6 [3, 2]  fresh 1
step 0 fill f32:0  write S4:f32[4, 3]  # graph step 0
step 1 move  write S4:f32.slice(0, 0, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
step 2 move  write S4:f32.slice(0, 2, step 1)[2, 3]  read S2:f32[2, 3]  # graph step 0
step 3 move  write S3:f32[4, 3]  read S4:f32[4, 3]  # graph step 0
step 4 move  write S5:f32[2, 3]  read S2:f32[2, 3]  # graph step 1
step 5 opaque "aten.neg;T"  write S6:f32[3, 2]  read S5:f32.permute(1, 0)  # graph step 3
output 0 read S3:f32[4, 3]
output 1 read S6:f32[3, 2]
)fx"},
};

// table: what is its argument
const FxRow kItself[] = {
    {"an operator that changes nothing is its argument", R"fx(x: "f32[2, 2]")fx",
     R"fx(a = torch.ops.aten.conj_physical.default(x)
b = torch.ops.aten.dropout.default(x, 0.5, False)
c = torch.ops.aten.dropout.default(x, 0.0, True)
d = torch.ops.aten.dropout.default(x, 0, True)
e = torch.ops.aten.sum_to_size.default(x, [2, 2])
return (a, b, c, d, e))fx",
     R"fx(
output 0 read S2:f32[2, 2]
output 1 read S2:f32[2, 2]
output 2 read S2:f32[2, 2]
output 3 read S2:f32[2, 2]
output 4 read S2:f32[2, 2]
)fx"},
    {"and else computes", R"fx(x: "f32[2, 2]", z: "c64[2, 2]")fx",
     R"fx(a: "c64[2, 2][2, 1]" = torch.ops.aten.conj_physical.default(z)
b: "f32[2, 2][2, 1]" = torch.ops.aten.dropout.default(x, 0.5, True)
c: "f32[2, 2][2, 1]" = torch.ops.aten.dropout.default(x, 1, True)
d: "f32[1, 2][2, 1]" = torch.ops.aten.sum_to_size.default(x, [1, 2])
e: "f32[2][1]" = torch.ops.aten.sum_to_size.default(x, [2])
return (a, b, c, d, e))fx",
     R"fx(
storage S4 [2, 2]  fresh 0
storage S5 [2, 2]  fresh 1
storage S6 [2, 2]  fresh 2
storage S7 [1, 2]  fresh 3
storage S8 [2]  fresh 4
step 0 opaque "aten.conj_physical.default;T"  write S4:c64[2, 2]  read S3:c64[2, 2]  # graph step 0
step 1 opaque "aten.dropout.default;T;0.5f;true;order 0,1,"  write S5:f32[2, 2], S0:token[]  read S2:f32[2, 2], S0:token[]  # graph step 1
step 2 opaque "aten.dropout.default;T;1f;true"  write S6:f32[2, 2]  read S2:f32[2, 2]  # graph step 2
step 3 opaque "aten.sum_to_size.default;T;[1,2,]"  write S7:f32[1, 2]  read S2:f32[2, 2]  # graph step 3
step 4 opaque "aten.sum_to_size.default;T;[2,]"  write S8:f32[2]  read S2:f32[2, 2]  # graph step 4
output 0 read S4:c64[2, 2]
output 1 read S5:f32[2, 2]
output 2 read S6:f32[2, 2]
output 3 read S7:f32[1, 2]
output 4 read S8:f32[2]
)fx"},
    {"as a symbol says", R"fx(s0: "Sym(s0)", v: "f32[s0]")fx",
     R"fx(a = torch.ops.aten.sum_to_size.default(v, [s0])
b: "f32[][]" = torch.ops.aten.sum_to_size.default(v, [])
return (a, b))fx",
     R"fx(
storage S3 []  fresh 0
step 0 opaque "aten.sum_to_size.default;T;[]"  write S3:f32[]  read S2:f32[s0]  # graph step 1
output 0 read S2:f32[s0]
output 1 read S3:f32[]
)fx"},
    {"or leaves open", R"fx(s0: "Sym(s0)", v: "f32[s0]")fx",
     R"fx(a: "f32[1][1]" = torch.ops.aten.sum_to_size.default(v, [1])
return (a,))fx",
     R"fx(
output 0 scalar 
unknown unsupported-op aten.sum_to_size.default (may be its argument)
unknown no-metadata a
)fx"},
    {"the other way round too", R"fx(s0: "Sym(s0)", v: "f32[1]")fx",
     R"fx(a: "f32[s0][1]" = torch.ops.aten.sum_to_size.default(v, [s0])
return (a,))fx",
     R"fx(
output 0 scalar 
unknown unsupported-op aten.sum_to_size.default (may be its argument)
unknown no-metadata a
)fx"},
    {"as a chance that nobody knows does", R"fx(s0: "Sym(s0)", x: "f32[2]")fx",
     R"fx(a: "f32[2][1]" = torch.ops.aten.dropout.default(x, s0, True)
return (a,))fx",
     R"fx(
output 0 scalar 
unknown unsupported-op aten.dropout.default (may be its argument)
unknown no-metadata a
)fx"},
};

}  // namespace

TEST_CASE("a name stands for what its tensor shows", "[traced]") { check_rows(kRenamed); }
TEST_CASE("an operator is its argument, or is not, or it is open", "[traced]") { check_rows(kItself); }

}  // namespace renamed_test
