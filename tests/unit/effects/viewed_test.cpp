// Views as maps of the Trace.
#include "tests/unit/effects/fx_traced.h"

namespace viewed_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

// table: what is shown
const FxRow kViewed[] = {
    {"slices add up to an offset, from which as_strided counts where none is said", R"fx(x: "f32[8, 4]")fx",
     R"fx(a = torch.ops.aten.slice.Tensor(x, 0, 2, 6)
b = torch.ops.aten.slice.Tensor(a, 1, 1, 3)
c = torch.ops.aten.select.int(b, 0, 1)
d = torch.ops.aten.as_strided.default(c, [2], [1])
e = torch.ops.aten.as_strided.default(c, [2], [2], 1)
f = torch.ops.aten.slice.Tensor(e, 0, 1, 2)
g = torch.ops.aten.as_strided.default(f, [2], [1])
return (d, e, f, g))fx",
     R"fx(
output 0 read S2:f32.reshape[32].strided(13, [1])[2]
output 1 read S2:f32.reshape[32].strided(1, [2])[2]
output 2 read S2:f32.reshape[32].strided(3, [2])[1]
output 3 read S2:f32.reshape[32].strided(3, [1])[2]
)fx"},
    {"of pieces too", R"fx(x: "f32[8, 4]")fx",
     R"fx(a = torch.ops.aten.narrow.default(x, 0, 2, 3)
b = torch.ops.aten.split_with_sizes.default(a, [1, 2])
c = b[1]
d = torch.ops.aten.as_strided.default(c, [2], [1])
return (d,))fx",
     R"fx(
output 0 read S2:f32.reshape[32].strided(12, [1])[2]
)fx"},
    {"nothing is beyond the storage", R"fx(x: "f32[8]")fx",
     R"fx(a = torch.ops.aten.as_strided.default(x, [2, 3], [5, 1], 0)
b = torch.ops.aten.as_strided.default(x, [2, 3], [5, 1], 1)
return (a, b))fx",
     R"fx(
output 0 read S2:f32.reshape[8].strided(0, [5, 1])[2, 3]
output 1 scalar 
unknown no-metadata aten.as_strided.default
unknown no-metadata b
)fx"},
    {"nor before it, nor is it empty", R"fx(x: "f32[8]")fx",
     R"fx(a = torch.ops.aten.as_strided.default(x, [0, 3], [5, 1], 7)
b = torch.ops.aten.as_strided.default(x, [2], [1], -1)
return (a, b))fx",
     R"fx(
output 0 read S2:f32.reshape[8].strided(7, [5, 1])[0, 3]
output 1 scalar 
unknown no-metadata aten.as_strided.default
unknown no-metadata b
)fx"},
    {"elements are counted in the order of memory",
     R"fx(x: "f32[2, 3, 4][1, 8, 2]", y: "f32[2, 1, 4][4, 4, 1]", z: "f32[2, 3, 4][4, 8, 1]")fx",
     R"fx(a = torch.ops.aten.as_strided.default(x, [24], [1])
b = torch.ops.aten.as_strided.default(y, [8], [1])
c = torch.ops.aten.as_strided.default(z, [24], [1])
return (a, b, c))fx",
     R"fx(
output 0 read S2:f32.permute(1, 2, 0).reshape[24].strided(0, [1])[24]
output 1 read S3:f32.reshape[8].strided(0, [1])[8]
output 2 read S4:f32.permute(1, 0, 2).reshape[24].strided(0, [1])[24]
)fx"},
    {"a view of strides is one of strides", R"fx(x: "f32[4, 4][8, 1]")fx",
     R"fx(a = torch.ops.aten.slice.Tensor(x, 0, 1, 3)
b = torch.ops.aten.permute.default(a, [1, 0])
c = torch.ops.aten.select.int(b, 0, 3)
d = torch.ops.aten.unsqueeze.default(c, 0)
return (a, b, c, d))fx",
     R"fx(
output 0 read S2:f32.strided(8, [8, 1])[2, 4]
output 1 read S2:f32.strided(8, [1, 8])[4, 2]
output 2 read S2:f32.strided(11, [8])[2]
output 3 read S2:f32.strided(11, [16, 8])[1, 2]
)fx"},
    {"but not of bytes", R"fx(x: "f32[4, 4][8, 1]")fx",
     R"fx(y: "f32[4, 4][8, 1]" = torch.ops.aten.neg.default(x)
a = torch.ops.aten.view.dtype(y, torch.int8)
b = torch.ops.aten.slice.Tensor(a, 0, 1, 3)
return (b,))fx",
     R"fx(
storage S3 [28] x 4 B  fresh 0
step 0 opaque "aten.neg;T"  write S3:f32.strided(0, [8, 1])[4, 4]  read S2:f32.strided(0, [8, 1])[4, 4]  # graph step 0
output 0 read S3:i8.strided(0, [8, 1])[4, 4].reshape[4, 16, 1].slice(0, 1, step 1)[2, 16]
)fx"},
    {"a view of windows is one of strides", R"fx(x: "f32[3, 8]")fx",
     R"fx(a = torch.ops.aten.unfold.default(x, 1, 3, 2)
b = torch.ops.aten.slice.Tensor(a, 2, 1, 3)
c = torch.ops.aten.select.int(b, 1, 2)
e = torch.ops.aten.slice.Tensor(x, 0, 1, 3)
f = torch.ops.aten.unfold.default(e, 1, 3, 2)
g = torch.ops.aten.permute.default(f, [1, 0, 2])
return (a, b, c, f, g))fx",
     R"fx(
output 0 read S2:f32.unfold(1, step 2)[3, 3, 3]
output 1 read S2:f32.reshape[24].strided(1, [8, 2, 1])[3, 3, 2]
output 2 read S2:f32.reshape[24].strided(5, [8, 1])[3, 2]
output 3 read S2:f32.slice(0, 1, step 1)[2, 8].unfold(1, step 2)[2, 3, 3]
output 4 read S2:f32.reshape[24].strided(8, [2, 8, 1])[3, 2, 3]
)fx"},
    {"unless it shows bytes, or strides are not known", R"fx(x: "f32[3, 8]")fx",
     R"fx(y: "f32[3, 8][8, 1]" = torch.ops.aten.neg.default(x)
a = torch.ops.aten.view.dtype(y, torch.int8)
b = torch.ops.aten.unfold.default(a, 1, 3, 2)
c = torch.ops.aten.slice.Tensor(b, 2, 1, 3)
u: "f32[3, 8]" = torch.ops.aten.neg.default(x)
v = torch.ops.aten.unfold.default(u, 1, 3, 2)
w = torch.ops.aten.slice.Tensor(v, 2, 1, 3)
return (c, w))fx",
     R"fx(
storage S3 [3, 8] x 4 B  fresh 0
storage S4 [3, 8]  fresh 1
step 0 opaque "aten.neg;T"  write S3:f32[3, 8]  read S2:f32[3, 8]  # graph step 0
step 1 opaque "aten.neg;T"  write S4:f32[3, 8]  read S2:f32[3, 8]  # graph step 4
output 0 read S3:i8.reshape[3, 32, 1].unfold(1, step 2)[3, 15, 3].slice(2, 1, step 1)[3, 15, 2]
output 1 read S4:f32.unfold(1, step 2)[3, 3, 3].slice(2, 1, step 1)[3, 3, 2]
)fx"},
    {"bytes are read as another type of the same, of less and of more of them",
     R"fx(z: "f32[2, 4]", k: "f16[2, 4]")fx",
     R"fx(x: "f32[2, 4][4, 1]" = torch.ops.aten.neg.default(z)
h: "f16[2, 4][4, 1]" = torch.ops.aten.neg.default(k)
a = torch.ops.aten.view.dtype(x, torch.int32)
b = torch.ops.aten.view.dtype(x, torch.float16)
c = torch.ops.aten.view.dtype(h, torch.float32)
d = torch.ops.aten.view.dtype(x, torch.float64)
e = torch.ops.aten.slice.Tensor(h, 1, 2, 4)
f = torch.ops.aten.view.dtype(e, torch.float32)
g = torch.ops.aten.slice.Tensor(b, 1, 1, 3)
i = torch.ops.aten.as_strided.default(f, [1], [1])
j = torch.ops.aten.as_strided.default(g, [1], [1])
return (a, b, c, d, f, g, i, j))fx",
     R"fx(
storage S4 [2, 4] x 4 B  fresh 0
storage S5 [2, 4] x 2 B  fresh 1
step 0 opaque "aten.neg;T"  write S4:f32[2, 4]  read S2:f32[2, 4]  # graph step 0
step 1 opaque "aten.neg;T"  write S5:f16[2, 4]  read S3:f16[2, 4]  # graph step 1
output 0 read S4:i32[2, 4]
output 1 read S4:f16.reshape[2, 8, 2]
output 2 read S5:f32.reshape[2, 2, 4]
output 3 read S4:f64.reshape[2, 2, 8]
output 4 read S5:f32.slice(1, 2, step 1)[2, 2].reshape[2, 1, 4]
output 5 read S4:f16.reshape[2, 8, 2].slice(1, 1, step 1)[2, 2]
output 6 read S5:f32.reshape[8].reshape[4, 4].strided(1, [1])[1]
output 7 read S4:f16.reshape[8].reshape[16, 2].strided(1, [1])[1]
)fx"},
    {"of more at a multiple of them only", R"fx(k: "f16[2, 4]")fx",
     R"fx(h: "f16[2, 4][4, 1]" = torch.ops.aten.neg.default(k)
e = torch.ops.aten.slice.Tensor(h, 1, 1, 3)
f = torch.ops.aten.view.dtype(e, torch.float32)
return (f,))fx",
     R"fx(
storage S3 [2, 4] x 2 B  fresh 0
step 0 opaque "aten.neg;T"  write S3:f16[2, 4]  read S2:f16[2, 4]  # graph step 0
output 0 scalar 
unknown no-metadata aten.view.dtype
unknown no-metadata f
)fx"},
    {"in every row", R"fx(k: "f16[2, 3]")fx",
     R"fx(h: "f16[2, 3][3, 1]" = torch.ops.aten.neg.default(k)
e = torch.ops.aten.slice.Tensor(h, 1, 0, 2)
f = torch.ops.aten.view.dtype(e, torch.float32)
return (f,))fx",
     R"fx(
storage S3 [2, 3] x 2 B  fresh 0
step 0 opaque "aten.neg;T"  write S3:f16[2, 3]  read S2:f16[2, 3]  # graph step 0
output 0 scalar 
unknown no-metadata aten.view.dtype
unknown no-metadata f
)fx"},
    {"of whole ones only", R"fx(k: "f16[2, 3]")fx",
     R"fx(h: "f16[2, 3][3, 1]" = torch.ops.aten.neg.default(k)
f = torch.ops.aten.view.dtype(h, torch.float32)
return (f,))fx",
     R"fx(
storage S3 [2, 3] x 2 B  fresh 0
step 0 opaque "aten.neg;T"  write S3:f16[2, 3]  read S2:f16[2, 3]  # graph step 0
output 0 scalar 
unknown no-metadata aten.view.dtype
unknown no-metadata f
)fx"},
    {"along a dimension without gaps", R"fx(k: "f16[2, 4]")fx",
     R"fx(h: "f16[2, 4][1, 2]" = torch.ops.aten.neg.default(k)
f = torch.ops.aten.view.dtype(h, torch.float32)
return (f,))fx",
     R"fx(
storage S3 [2, 4] x 2 B  fresh 0
step 0 opaque "aten.neg;T"  write S3:f16[2, 4]  read S2:f16[2, 4]  # graph step 0
output 0 scalar 
unknown no-metadata aten.view.dtype
unknown no-metadata f
)fx"},
    {"which a single number has not", R"fx(k: "f16[]")fx",
     R"fx(h: "f16[][]" = torch.ops.aten.neg.default(k)
f = torch.ops.aten.view.dtype(h, torch.float32)
return (f,))fx",
     R"fx(
storage S3 [] x 2 B  fresh 0
step 0 opaque "aten.neg;T"  write S3:f16[]  read S2:f16[]  # graph step 0
output 0 scalar 
unknown no-metadata aten.view.dtype
unknown no-metadata f
)fx"},
    {"of the same number of bytes in any", R"fx(h: "f16[]", k: "f16[2, 4][1, 2]")fx",
     R"fx(f = torch.ops.aten.view.dtype(h, torch.int16)
g = torch.ops.aten.view.dtype(k, torch.int16)
return (f, g))fx",
     R"fx(
output 0 read S2:i16[]
output 1 read S3:i16[2, 4]
)fx"},
    {"a flag of less than a byte is no other type", R"fx(x: "f32[2]", y: "f32[2]")fx",
     R"fx(k: "b1[2]" = torch.ops.aten.lt.Tensor(x, y)
f = torch.ops.aten.view.dtype(k, torch.uint8)
return (f,))fx",
     R"fx(
storage S4 [2]  fresh 0
step 0 opaque "aten.lt;T;T"  write S4:other[2]  read S2:f32[2], S3:f32[2]  # graph step 0
output 0 scalar 
claim dtype said 19 computed ?  # graph step 0
unknown no-metadata aten.view.dtype
unknown no-metadata f
)fx"},
    {"complex numbers are pairs, and parts of them", R"fx(c: "c64[2, 3]", p: "f32[3, 2]")fx",
     R"fx(a = torch.ops.aten.view_as_real.default(c)
b = torch.ops.aten.view_as_complex.default(p)
d = torch.ops.aten.real.default(c)
e = torch.ops.aten.imag.default(c)
f = torch.ops.aten.slice.Tensor(c, 1, 1, 3)
g = torch.ops.aten.imag.default(f)
h = torch.ops.aten.as_strided.default(g, [2], [1])
i = torch.ops.aten.slice.Tensor(p, 0, 1, 3)
j = torch.ops.aten.view_as_complex.default(i)
k = torch.ops.aten.as_strided.default(j, [2], [1])
return (a, b, d, e, g, h, j, k))fx",
     R"fx(
output 0 read S2:f32.reshape[2, 3, 2, 4]
output 1 read S3:c64.reshape[3, 8]
output 2 read S2:f32.reshape[2, 3, 2, 4].slice(2, 0, step 1)[2, 3, 1].reshape[2, 3]
output 3 read S2:f32.reshape[2, 3, 2, 4].slice(2, 1, step 1)[2, 3, 1].reshape[2, 3]
output 4 read S2:f32.slice(1, 1, step 1)[2, 2].reshape[2, 2, 2, 4].slice(2, 1, step 1)[2, 2, 1].reshape[2, 2]
output 5 read S2:f32.reshape[6].reshape[12, 4].strided(3, [1])[2]
output 6 read S3:c64.slice(0, 1, step 1)[2, 2].reshape[2, 8]
output 7 read S3:c64.reshape[6].reshape[3, 8].strided(1, [1])[2]
)fx"},
    {"pairs that do not lie in pairs are none", R"fx(p: "f32[3, 2][3, 1]")fx",
     R"fx(b = torch.ops.aten.view_as_complex.default(p)
return (b,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.view_as_complex.default
unknown no-metadata b
)fx"},
    {"nor do pairs that begin with a second part", R"fx(p: "f32[8]")fx",
     R"fx(q = torch.ops.aten.slice.Tensor(p, 0, 1, 3)
b = torch.ops.aten.view_as_complex.default(q)
return (b,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.view_as_complex.default
unknown no-metadata b
)fx"},
    {"nor pairs with a gap between", R"fx(p: "f32[3, 2][4, 2]")fx",
     R"fx(b = torch.ops.aten.view_as_complex.default(p)
return (b,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.view_as_complex.default
unknown no-metadata b
)fx"},
    {"what does not fit is spread over what it is computed with, or not at all",
     R"fx(x: "f32[3]", y: "f32[2, 1]", z: "f32[2, 3]", w: "f32[2]")fx",
     R"fx(a = torch.ops.aten.add.Tensor(x, z)
b = torch.ops.aten.add_.Tensor(z, y)
c = torch.ops.aten.add_.Tensor(z, w)
return (a, b, c))fx",
     R"fx(
storage S6 [2, 3]  fresh 0
step 0 opaque "aten.add;T;T"  write S6:f32[2, 3]  read S2:f32.reshape[1, 3].expand[2, 3], S4:f32[2, 3]  # graph step 0
step 1 opaque "aten.add;T;T"  write S4:f32[2, 3]  read S4:f32[2, 3], S3:f32.expand[2, 3]  # graph step 1
output 0 read S6:f32[2, 3]
output 1 read S4:f32[2, 3]
output 2 scalar 
unknown no-metadata aten.add_.Tensor (shapes)
unknown no-metadata c
)fx"},
    {"a reshape is a view where strides allow it, else a copy", R"fx(x: "f32[2, 3]", t: "f32[3, 2][1, 3]")fx",
     R"fx(a = torch.ops.aten.reshape.default(x, [6])
b = torch.ops.aten.reshape.default(t, [6])
b1 = torch.ops.aten.as_strided.default(b, [6], [1])
c = torch.ops.aten.flatten.using_ints(t)
return (a, b1, c))fx",
     R"fx(
storage S4 [6]  fresh 0
storage S5 [6]  fresh 1
step 0 move  write S4:f32[6]  read S3:f32.reshape[6]  # graph step 1
step 1 move  write S5:f32[6]  read S3:f32.reshape[6]  # graph step 3
output 0 read S2:f32.reshape[6]
output 1 read S4:f32.reshape[6].strided(0, [1])[6]
output 2 read S5:f32[6]
)fx"},
    {"open where strides are not known", R"fx(s0: "Sym(s0)", s1: "Sym(s1)", u: "f32[s0, 4][s1, 1]")fx",
     R"fx(a = torch.ops.aten.reshape.default(u, [-1])
return (a,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.reshape.default (strides)
unknown no-metadata a
)fx"},
    {"and no shape of another number of elements", R"fx(x: "f32[2, 3]")fx",
     R"fx(a = torch.ops.aten.reshape.default(x, [5])
return (a,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.reshape.default
unknown no-metadata a
)fx"},
    {"a view is none where strides forbid it", R"fx(t: "f32[3, 2][1, 3]")fx",
     R"fx(a = torch.ops.aten.view.default(t, [6])
return (a,))fx",
     R"fx(
output 0 scalar 
unknown unsupported-op aten.view.default (needs a copy)
unknown no-metadata a
)fx"},
    {"and is one where they allow it", R"fx(t: "f32[3, 2][1, 3]", g: "f32[4, 2][4, 1]")fx",
     R"fx(a = torch.ops.aten.view.default(t, [3, 2, 1])
b = torch.ops.aten.view.default(g, [2, 2, 2])
return (a, b))fx",
     R"fx(
output 0 read S2:f32.reshape[3, 2, 1]
output 1 read S3:f32.strided(0, [8, 4, 1])[2, 2, 2]
)fx"},
    {"views of other kinds take any strides", R"fx(t: "f32[3, 2][1, 3]")fx",
     R"fx(a = torch.ops.aten.expand.default(t, [4, 3, 2])
b = torch.ops.aten.permute.default(t, [1, 0])
c = torch.ops.aten.view.dtype(t, torch.int32)
return (a, b, c))fx",
     R"fx(
output 0 read S2:f32.reshape[1, 3, 2].expand[4, 3, 2]
output 1 read S2:f32.permute(1, 0)
output 2 read S2:i32[3, 2]
)fx"},
    {"copies of views are fresh, each of its own", R"fx(x: "f32[4, 3]")fx",
     R"fx(a = torch.ops.aten.split_copy.Tensor(x, 2)
b = a[0]
c = a[1]
d = torch.ops.aten.permute_copy.default(x, [1, 0])
e = torch.ops.aten.as_strided.default(d, [12], [1])
return (b, c, e))fx",
     R"fx(
storage S3 [2, 3]  fresh 0
storage S4 [2, 3]  fresh 1
storage S5 [3, 4]  fresh 2
step 0 move  write S3:f32[2, 3]  read S2:f32.slice(0, 0, step 1)[2, 3]  # graph step 0
step 1 move  write S4:f32[2, 3]  read S2:f32.slice(0, 2, step 1)[2, 3]  # graph step 0
step 2 move  write S5:f32[3, 4]  read S2:f32.permute(1, 0)  # graph step 1
output 0 read S3:f32[2, 3]
output 1 read S4:f32[2, 3]
output 2 read S5:f32.reshape[12].strided(0, [1])[12]
)fx"},
    {"of the shape that is said", R"fx(x: "f32[4, 3]")fx",
     R"fx(d: "f32[4, 3][3, 1]" = torch.ops.aten.permute_copy.default(x, [1, 0])
return (d,))fx",
     R"fx(
storage S3 [4, 3]  fresh 0
output 0 scalar 
claim size said 4 computed 3  # graph step 0
claim size said 3 computed 4  # graph step 0
unknown no-metadata aten.permute_copy.default
unknown no-metadata d
)fx"},
    {"of a view that there is", R"fx(x: "f32[4, 3]")fx",
     R"fx(d = torch.ops.aten.permute_copy.default(x, [1, 5])
return (d,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.permute_copy.default
unknown no-metadata d
)fx"},
    {"as views are", R"fx(x: "f32[4, 3]")fx",
     R"fx(d = torch.ops.aten.permute.default(x, [1, 5])
return (d,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.permute.default
unknown no-metadata d
)fx"},
    {"of pieces that nobody asks for there is none", R"fx(x: "f32[4, 3]")fx",
     R"fx(a = torch.ops.aten.split.Tensor(x, 1)
b = a[0]
c = torch.ops.aten.split.Tensor(x, 1)
d = c[2]
return (b, d))fx",
     R"fx(
output 0 read S2:f32.slice(0, 0, step 1)[1, 3]
output 1 read S2:f32.slice(0, 2, step 1)[1, 3]
)fx"},
};

}  // namespace

TEST_CASE("a view shows the elements that PyTorch shows, or none", "[traced]") { check_rows(kViewed); }

}  // namespace viewed_test
