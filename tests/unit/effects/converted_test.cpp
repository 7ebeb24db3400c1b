// Copies and conversions as moves of the Trace, and which of them are their argument.
#include "tests/unit/effects/fx_traced.h"

namespace converted_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

// table: what is converted
const FxRow kConverted[] = {
    {"a copy keeps a layout without gaps, and gets the one that it is asked for",
     R"fx(t: "f32[2, 3][1, 2]", g: "f32[2, 3][6, 1]")fx",
     R"fx(a = torch.ops.aten.clone.default(t)
a1 = torch.ops.aten.as_strided.default(a, [6], [1])
b = torch.ops.aten.clone.default(g)
b1 = torch.ops.aten.as_strided.default(b, [6], [1])
c = torch.ops.aten.clone.default(t, memory_format = torch.contiguous_format)
c1 = torch.ops.aten.as_strided.default(c, [6], [1])
d = torch.ops.aten.clone.default(t, memory_format = torch.preserve_format)
d1 = torch.ops.aten.as_strided.default(d, [6], [1])
return (a1, b1, c1, d1))fx",
     R"fx(
storage S4 [2, 3]  fresh 0
storage S5 [2, 3]  fresh 1
storage S6 [2, 3]  fresh 2
storage S7 [2, 3]  fresh 3
step 0 move  write S4:f32[2, 3]  read S2:f32[2, 3]  # graph step 0
step 1 move  write S5:f32[2, 3]  read S3:f32.strided(0, [6, 1])[2, 3]  # graph step 2
step 2 move  write S6:f32[2, 3]  read S2:f32[2, 3]  # graph step 4
step 3 move  write S7:f32[2, 3]  read S2:f32[2, 3]  # graph step 6
output 0 read S4:f32.permute(1, 0).reshape[6].strided(0, [1])[6]
output 1 read S5:f32.reshape[6].strided(0, [1])[6]
output 2 read S6:f32.reshape[6].strided(0, [1])[6]
output 3 read S7:f32.permute(1, 0).reshape[6].strided(0, [1])[6]
)fx"},
    {"channels last is the second dimension innermost, of images and of volumes",
     R"fx(q: "f32[2, 3, 4, 5]", v: "f32[6, 2, 3, 4, 5]")fx",
     R"fx(d = torch.ops.aten.clone.default(q, memory_format = torch.channels_last)
d1 = torch.ops.aten.as_strided.default(d, [120], [1])
e = torch.ops.aten.clone.default(v, memory_format = torch.channels_last_3d)
e1 = torch.ops.aten.as_strided.default(e, [720], [1])
f = torch.ops.aten._to_copy.default(q, memory_format = torch.channels_last)
f1: "f32[2, 4, 5, 3][60, 15, 3, 1]" = torch.ops.aten.permute.default(f, [0, 2, 3, 1])
return (d1, e1, f1))fx",
     R"fx(
storage S4 [2, 3, 4, 5]  fresh 0
storage S5 [6, 2, 3, 4, 5]  fresh 1
storage S6 [2, 3, 4, 5]  fresh 2
step 0 move  write S4:f32[2, 3, 4, 5]  read S2:f32[2, 3, 4, 5]  # graph step 0
step 1 move  write S5:f32[6, 2, 3, 4, 5]  read S3:f32[6, 2, 3, 4, 5]  # graph step 2
step 2 move  write S6:f32[2, 3, 4, 5]  read S2:f32[2, 3, 4, 5]  # graph step 4
output 0 read S4:f32.permute(0, 2, 3, 1).reshape[120].strided(0, [1])[120]
output 1 read S5:f32.permute(0, 2, 3, 4, 1).reshape[720].strided(0, [1])[720]
output 2 read S6:f32.permute(0, 2, 3, 1)
)fx"},
    {"and nothing of a matrix", R"fx(t: "f32[2, 3][1, 2]")fx",
     R"fx(h = torch.ops.aten.clone.default(t, memory_format = torch.channels_last)
h1 = torch.ops.aten.as_strided.default(h, [6], [1])
return (h1,))fx",
     R"fx(
storage S3 [2, 3]  fresh 0
step 0 move  write S3:f32[2, 3]  read S2:f32[2, 3]  # graph step 0
output 0 scalar 
unknown no-metadata aten.as_strided.default
unknown no-metadata h1
)fx"},
    {"a conversion has the type that it is asked for, else its argument's, whatever is said",
     R"fx(t: "f32[2, 3][1, 2]")fx",
     R"fx(a = torch.ops.aten._to_copy.default(t, dtype = torch.float16)
a1 = torch.ops.aten.as_strided.default(a, [6], [1])
b = torch.ops.aten._to_copy.default(t)
c: "f16[2, 3][4, 1]" = torch.ops.aten._to_copy.default(t, dtype = torch.float16)
d: "f16[2, 3][3, 1]" = torch.ops.aten._to_copy.default(t)
return (a1, b, c, d))fx",
     R"fx(
storage S3 [2, 3]  fresh 0
storage S4 [2, 3]  fresh 1
storage S5 [7]  fresh 2
storage S6 [2, 3]  fresh 3
step 0 move  write S3:f16[2, 3]  read S2:f32[2, 3]  # graph step 0
step 1 move  write S4:f32[2, 3]  read S2:f32[2, 3]  # graph step 2
step 2 move  write S5:f16.strided(0, [4, 1])[2, 3]  read S2:f32[2, 3]  # graph step 3
step 3 move  write S6:f32[2, 3]  read S2:f32[2, 3]  # graph step 4
output 0 read S3:f16.permute(1, 0).reshape[6].strided(0, [1])[6]
output 1 read S4:f32[2, 3]
output 2 read S5:f16.strided(0, [4, 1])[2, 3]
output 3 read S6:f32[2, 3]
claim dtype said 2 computed 1  # graph step 4
)fx"},
    {"to is its argument where that has the type, the device, the format already",
     R"fx(x: "f32[2, 3][3, 1]cpu", k: "f32[2, 3, 4, 5][60, 1, 15, 3]")fx",
     R"fx(a = torch.ops.aten.to.dtype(x, torch.float32)
b = torch.ops.aten.to.dtype_layout(x, layout = torch.strided, device = device(type='cpu'))
c = torch.ops.aten.to.dtype(k, torch.float32, memory_format = torch.channels_last)
d = torch.ops.aten.to.dtype(x, torch.float32, memory_format = torch.preserve_format)
e = torch.ops.aten.contiguous.default(x)
f = torch.ops.aten.type_as.default(x, a)
g = torch.ops.aten.to.other(x, a, False, False)
return (a, b, c, d, e, f, g))fx",
     R"fx(
output 0 read S2:f32[2, 3]
output 1 read S2:f32[2, 3]
output 2 read S3:f32[2, 3, 4, 5]
output 3 read S2:f32[2, 3]
output 4 read S2:f32[2, 3]
output 5 read S2:f32[2, 3]
output 6 read S2:f32[2, 3]
)fx"},
    {"and a copy where it has not, or one is asked for", R"fx(x: "f32[2, 3][3, 1]cpu", h: "f16[1]")fx",
     R"fx(a = torch.ops.aten.to.dtype(x, torch.float16)
b = torch.ops.aten.to.dtype(x, torch.float32, False, True)
c = torch.ops.aten.to.dtype_layout(x, device = device(type='cuda', index=0))
d = torch.ops.aten.to.other(x, h)
e = torch.ops.aten.type_as.default(x, h)
return (a, b, c, d, e))fx",
     R"fx(
storage S2 token generator of cpu
storage S3 token generator of cuda:0
storage S6 [2, 3]  fresh 0
storage S7 [2, 3]  fresh 1
storage S8 [2, 3]  fresh 2
storage S9 [2, 3]  fresh 3
storage S10 [2, 3]  fresh 4
step 0 move  write S6:f16[2, 3]  read S4:f32[2, 3]  # graph step 0
step 1 move  write S7:f32[2, 3]  read S4:f32[2, 3]  # graph step 1
step 2 move  write S8:f32[2, 3]  read S4:f32[2, 3]  # graph step 2
step 3 move  write S9:f16[2, 3]  read S4:f32[2, 3]  # graph step 3
step 4 move  write S10:f16[2, 3]  read S4:f32[2, 3]  # graph step 4
output 0 read S6:f16[2, 3]
output 1 read S7:f32[2, 3]
output 2 read S8:f32[2, 3]
output 3 read S9:f16[2, 3]
output 4 read S10:f16[2, 3]
)fx"},
    {"in the format that it is asked for", R"fx(q: "f32[2, 3, 4, 5]", k: "f32[2, 3, 4, 5][60, 1, 15, 3]")fx",
     R"fx(a = torch.ops.aten.to.dtype(q, torch.float32, memory_format = torch.channels_last)
b = torch.ops.aten.as_strided.default(a, [120], [1])
c = torch.ops.aten.contiguous.default(k)
d = torch.ops.aten.as_strided.default(c, [120], [1])
return (b, d))fx",
     R"fx(
storage S4 [2, 3, 4, 5]  fresh 0
storage S5 [2, 3, 4, 5]  fresh 1
step 0 move  write S4:f32[2, 3, 4, 5]  read S2:f32[2, 3, 4, 5]  # graph step 0
step 1 move  write S5:f32[2, 3, 4, 5]  read S3:f32[2, 3, 4, 5]  # graph step 2
output 0 read S4:f32.permute(0, 2, 3, 1).reshape[120].strided(0, [1])[120]
output 1 read S5:f32.reshape[120].strided(0, [1])[120]
)fx"},
    {"no format that the rank has not", R"fx(x: "f32[2, 3, 4]")fx",
     R"fx(a = torch.ops.aten.to.dtype(x, torch.float32, memory_format = torch.channels_last)
return (a,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.to.dtype (strides)
unknown no-metadata a
)fx"},
    {"no layout but strides", R"fx(x: "f32[2, 3]")fx",
     R"fx(a = torch.ops.aten.to.dtype_layout(x, layout = torch.sparse_coo)
return (a,))fx",
     R"fx(
output 0 scalar 
unknown unsupported-op aten.to.dtype_layout (layout)
unknown no-metadata a
)fx"},
    {"nothing while it still runs", R"fx(x: "f32[2, 3]")fx",
     R"fx(a = torch.ops.aten.to.dtype(x, torch.float16, True)
return (a,))fx",
     R"fx(
storage S3 [2, 3]  fresh 0
step 0 move  write S3:f16[2, 3]  read S2:f32[2, 3]  # graph step 0
output 0 read S3:f16[2, 3]
)fx"},
    {"a device that nobody tells leaves it open", R"fx(x: "f32[2, 3][3, 1]")fx",
     R"fx(a = torch.ops.aten.to.dtype_layout(x, device = device(type='cpu'))
return (a,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.to.dtype_layout (device)
unknown no-metadata a
)fx"},
    {"a view is where its base is", R"fx(x: "f32[2, 3][3, 1]cpu")fx",
     R"fx(y = torch.ops.aten.t.default(x)
a = torch.ops.aten.to.dtype_layout(y, device = device(type='cpu'))
return (a,))fx",
     R"fx(
output 0 read S2:f32.permute(1, 0)
)fx"},
    {"a device without its number may be the same", R"fx(x: "f32[2, 3][3, 1]cuda:0")fx",
     R"fx(a = torch.ops.aten.to.dtype_layout(x, device = device(type='cuda'))
return (a,))fx",
     R"fx(
storage S2 token generator of cuda
storage S3 token generator of cuda:0
output 0 scalar 
unknown no-metadata aten.to.dtype_layout (device)
unknown no-metadata a
)fx"},
    {"and is another one for another type", R"fx(x: "f32[2, 3][3, 1]cuda:0")fx",
     R"fx(a = torch.ops.aten.to.dtype_layout(x, dtype = torch.float16, device = device(type='cuda'))
return (a,))fx",
     R"fx(
storage S2 token generator of cuda
storage S3 token generator of cuda:0
storage S5 [2, 3]  fresh 0
step 0 move  write S5:f16[2, 3]  read S4:f32[2, 3]  # graph step 0
output 0 read S5:f16[2, 3]
)fx"},
    {"strides that nobody can compare leave open whether it is contiguous",
     R"fx(s0: "Sym(s0)", s1: "Sym(s1)", x: "f32[4, 4][s0, s1]")fx",
     R"fx(d = torch.ops.aten.contiguous.default(x)
return (d,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.contiguous.default (strides)
unknown no-metadata d
)fx"},
    {"what is dequantized has been quantized, or is a float", R"fx(x: "f16[2, 3]", y: "i8[2]")fx",
     R"fx(a = torch.ops.aten.dequantize.self(x)
b = torch.ops.aten.dequantize.self(y)
return (a,))fx",
     R"fx(
storage S4 [2, 3]  fresh 0
step 0 move  write S4:f32[2, 3]  read S2:f16[2, 3]  # graph step 0
output 0 read S4:f32[2, 3]
unknown unsupported-op aten.dequantize.self (of quantized numbers)
)fx"},
    {"whatever is said of it", R"fx(k: "f32[2, 3, 4, 5][60, 1, 15, 3]")fx",
     R"fx(c: "f32[2, 3, 4, 5][60, 1, 15, 3]" = torch.ops.aten.contiguous.default(k)
return (c,))fx",
     R"fx(
storage S3 [2, 3, 4, 5]  fresh 0
step 0 move  write S3:f32[2, 3, 4, 5]  read S2:f32[2, 3, 4, 5]  # graph step 0
output 0 read S3:f32[2, 3, 4, 5]
claim stride said 1 computed 20  # graph step 0
claim stride said 15 computed 5  # graph step 0
claim stride said 3 computed 1  # graph step 0
)fx"},
};

// table: what is copied
const FxRow kCopied[] = {
    {"a copy is spread over its target", R"fx(x: "f32[2, 3]", y: "f32[3]", one: "f16[]")fx",
     R"fx(a = torch.ops.aten.copy_.default(x, y)
b = torch.ops.aten.copy_.default(x, one)
c = torch.ops.aten.copy.default(x, y)
return (a, b, c))fx",
     R"fx(
storage S5 [2, 3]  fresh 0
step 0 move  write S2:f32[2, 3]  read S3:f32.reshape[1, 3].expand[2, 3]  # graph step 0
step 1 move  write S2:f32[2, 3]  read S4:f16.reshape[1, 1].expand[2, 3]  # graph step 1
step 2 move  write S5:f32[2, 3]  read S3:f32.reshape[1, 3].expand[2, 3]  # graph step 2
output 0 read S2:f32[2, 3]
output 1 read S2:f32[2, 3]
output 2 read S5:f32[2, 3]
)fx"},
    {"what does not fit is not copied", R"fx(x: "f32[2, 3]", z: "f32[2]")fx",
     R"fx(a = torch.ops.aten.copy_.default(x, z)
return (a,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.copy_.default (shapes)
unknown no-metadata a
)fx"},
    {"nor what has more dimensions", R"fx(x: "f32[2, 3]", z: "f32[1, 2, 3]")fx",
     R"fx(a = torch.ops.aten.copy_.default(x, z)
return (a,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.copy_.default (shapes)
unknown no-metadata a
)fx"},
    {"nor into a copy", R"fx(x: "f32[2, 3]", z: "f32[2]")fx",
     R"fx(a = torch.ops.aten.copy.default(x, z)
return (a,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata aten.copy.default (shapes)
unknown no-metadata a
)fx"},
    {"which lies in memory as its first argument does", R"fx(x: "f32[2, 3][1, 2]", y: "f16[3]")fx",
     R"fx(a = torch.ops.aten.copy.default(x, y)
b = torch.ops.aten.as_strided.default(a, [6], [1])
return (b,))fx",
     R"fx(
storage S4 [2, 3]  fresh 0
step 0 move  write S4:f32[2, 3]  read S3:f16.reshape[1, 3].expand[2, 3]  # graph step 0
output 0 read S4:f32.permute(1, 0).reshape[6].strided(0, [1])[6]
)fx"},
    {"lists are copied item by item", R"fx(x: "f32[2, 3]", y: "f32[3]", z: "f16[2]", w: "f32[2]")fx",
     R"fx(n = torch.ops.aten._foreach_copy_.default([x, w], [y, z])
return (x, w))fx",
     R"fx(
step 0 move  write S2:f32[2, 3]  read S3:f32.reshape[1, 3].expand[2, 3]  # graph step 0
step 1 move  write S5:f32[2]  read S4:f16[2]  # graph step 0
output 0 read S2:f32[2, 3]
output 1 read S5:f32[2]
)fx"},
    {"an item onto itself too", R"fx(x: "f32[2]", w: "f32[2]")fx",
     R"fx(n = torch.ops.aten._foreach_copy_.default([x, w], [x, w])
return (x, w))fx",
     R"fx(
step 0 move  write S2:f32[2]  read S2:f32[2]  # graph step 0
step 1 move  write S3:f32[2]  read S3:f32[2]  # graph step 0
output 0 read S2:f32[2]
output 1 read S3:f32[2]
)fx"},
    {"but none that another one writes", R"fx(x: "f32[2]", w: "f32[2]", y: "f32[2]")fx",
     R"fx(n = torch.ops.aten._foreach_copy_.default([x, w], [w, y])
return (x, w))fx",
     R"fx(
output 0 read S2:f32[2]
output 1 read S3:f32[2]
unknown unsupported-op aten._foreach_copy_.default (items meet)
)fx"},
    {"before or behind it", R"fx(x: "f32[2]", w: "f32[2]", y: "f32[2]")fx",
     R"fx(n = torch.ops.aten._foreach_copy_.default([x, w], [y, x])
return (x, w))fx",
     R"fx(
output 0 read S2:f32[2]
output 1 read S3:f32[2]
unknown unsupported-op aten._foreach_copy_.default (items meet)
)fx"},
    {"nor two into one", R"fx(x: "f32[2]", w: "f32[2]", y: "f32[2]")fx",
     R"fx(n = torch.ops.aten._foreach_copy_.default([x, x], [y, w])
return (x, w))fx",
     R"fx(
output 0 read S2:f32[2]
output 1 read S3:f32[2]
unknown unsupported-op aten._foreach_copy_.default (items meet)
)fx"},
    {"nor lists of different lengths", R"fx(x: "f32[2]", w: "f32[2]", y: "f32[2]")fx",
     R"fx(n = torch.ops.aten._foreach_copy_.default([x, w], [y])
return (x, w))fx",
     R"fx(
output 0 read S2:f32[2]
output 1 read S3:f32[2]
unknown no-metadata aten._foreach_copy_.default
)fx"},
    {"zeros of each item's type", R"fx(x: "f32[2]", w: "f16[2]")fx",
     R"fx(n = torch.ops.aten._foreach_zero_.default([x, w])
return (x, w))fx",
     R"fx(
step 0 fill f32:0  write S2:f32[2]  # graph step 0
step 1 fill f16:0  write S3:f16[2]  # graph step 0
output 0 read S2:f32[2]
output 1 read S3:f16[2]
)fx"},
    {"of no item twice", R"fx(x: "f32[2]")fx",
     R"fx(n = torch.ops.aten._foreach_zero_.default([x, x])
return (x,))fx",
     R"fx(
output 0 read S2:f32[2]
unknown unsupported-op aten._foreach_zero_.default (items meet)
)fx"},
};

}  // namespace

TEST_CASE("a conversion is its argument, a copy, or open", "[traced]") { check_rows(kConverted); }
TEST_CASE("a copy is spread over its target, a list item by item", "[traced]") { check_rows(kCopied); }

}  // namespace converted_test
