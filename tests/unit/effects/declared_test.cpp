// Declared operators as steps of the Trace, and declared views of all elements or of nobody knows which.
#include "tests/unit/effects/fx_traced.h"

namespace declared_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

// table: operators of nobody
const char* const kZoo = R"fx([{"schema": "zoo::all(Tensor(a!) t, Tensor x) -> Tensor(a!)"},
 {"schema": "zoo::over(Tensor(a!) t, Tensor x) -> Tensor(a!)", "writes": {"t": "all"}, "reads_old": []},
 {"schema": "zoo::some(Tensor(a!) t, Tensor x) -> Tensor(a!)", "writes": {"t": "some"}, "reads_old": []},
 {"schema": "zoo::part(Tensor(a!) t, Tensor x) -> Tensor(a!)", "reads_old": []},
 {"schema": "zoo::each(Tensor(a!) t, Tensor x, Tensor y) -> Tensor(a!)", "access": {"x": "elementwise"}},
 {"schema": "zoo::every(Tensor(a!) t, Tensor x, Tensor y) -> Tensor(a!)", "access": "elementwise"},
 {"schema": "zoo::first(Tensor(a!) t, Tensor x) -> Tensor(a!)", "when": "before_write"},
 {"schema": "zoo::tell(Tensor x) -> Tensor", "pure": false},
 {"schema": "zoo::alias(Tensor x) -> Tensor", "may_alias": [[0, "x"]]},
 {"schema": "zoo::into(Tensor x, *, Tensor(a!) o) -> Tensor(a!)"},
 {"schema": "zoo::count(Tensor x) -> (int, Tensor)"},
 {"schema": "zoo::list(Tensor[] x) -> Tensor[]"},
 {"schema": "zoo::many(Tensor x) -> Tensor[]"},
 {"schema": "zoo::view(Tensor(a) x) -> Tensor(a)", "result": "view"},
 {"schema": "zoo::tells(Tensor(a) x) -> Tensor(a)", "result": "view", "pure": false},
 {"schema": "zoo::seen(Tensor(a) x, Tensor y) -> Tensor(a)", "result": "view"},
 {"schema": "zoo::maybe(Tensor(a)? x) -> Tensor(a)", "result": "view"},
 {"schema": "zoo::odd(Tensor x) -> Tensor(a)"},
 {"schema": "zoo::two(Tensor(a) x) -> (Tensor(a), Tensor)", "result": ["view", "fresh"]}])fx";

// table: what declarations say
const FxRow kDeclared[] = {
    {"what is written is read as well", R"fx(t: "f32[4]", x: "f32[4]")fx",
     R"fx(a = torch.ops.zoo.all.default(t, x)
return (a,))fx",
     R"fx(
step 0 opaque "zoo.all.default;T;T"  write S2:f32[4]  read S2:f32[4], S3:f32[4]  # graph step 0
output 0 read S2:f32[4]
)fx"},
    {"but where all of it is written and nothing old is read", R"fx(t: "f32[4]", x: "f32[4]")fx",
     R"fx(a = torch.ops.zoo.over.default(t, x)
return (a,))fx",
     R"fx(
step 0 opaque "zoo.over.default;T;T"  write S2:f32[4]  read S3:f32[4]  # graph step 0
output 0 read S2:f32[4]
)fx"},
    {"what is left of it is read too", R"fx(t: "f32[4]", x: "f32[4]")fx",
     R"fx(a = torch.ops.zoo.some.default(t, x)
return (a,))fx",
     R"fx(
step 0 opaque "zoo.some.default;T;T"  write S2:f32[4]  read S2:f32[4], S3:f32[4]  # graph step 0
output 0 read S2:f32[4]
)fx"},
    {"and some of it is left if nobody says otherwise", R"fx(t: "f32[4]", x: "f32[4]")fx",
     R"fx(a = torch.ops.zoo.part.default(t, x)
return (a,))fx",
     R"fx(
step 0 opaque "zoo.part.default;T;T"  write S2:f32[4]  read S2:f32[4], S3:f32[4]  # graph step 0
output 0 read S2:f32[4]
)fx"},
    {"what is given to be written is not read", R"fx(t: "f32[4]", x: "f32[4]")fx",
     R"fx(a = torch.ops.zoo.into.default(x, o = t)
return (a,))fx",
     R"fx(
step 0 opaque "zoo.into.default;T"  write S2:f32[4]  read S3:f32[4]  # graph step 0
output 0 read S2:f32[4]
)fx"},
    {"nobody reads what nobody knows", R"fx(x: "f32[4]")fx",
     R"fx(u = torch.ops.zoo.unknown.default(x)
a = torch.ops.zoo.all.default(u, x)
return (x, a))fx",
     R"fx(
output 0 read S2:f32[4]
output 1 scalar 
unknown unsupported-op zoo.unknown.default
unknown no-metadata zoo.all.default
unknown no-metadata a
)fx"},
    {"what tells somebody stands in the sequence of effects", R"fx(x: "f32[4]")fx",
     R"fx(a: "f32[4]" = torch.ops.zoo.tell.default(x)
return (a,))fx",
     R"fx(
storage S3 [4]  fresh 0
step 0 opaque "zoo.tell.default;T"  write S3:f32[4], S1:token[]  read S2:f32[4], S1:token[]  # graph step 0
output 0 read S3:f32[4]
)fx"},
    {"what may share is not modelled", R"fx(x: "f32[4]")fx",
     R"fx(a: "f32[4]" = torch.ops.zoo.alias.default(x)
return (a,))fx",
     R"fx(
output 0 scalar 
unknown unsupported-op zoo.alias.default (may alias)
unknown no-metadata a
)fx"},
    {"a number is no storage", R"fx(x: "f32[4]")fx",
     R"fx(n = torch.ops.zoo.count.default(x)
a: "f32[4]" = n[1]
return (a,))fx",
     R"fx(
storage S3 [4]  fresh 0
step 0 opaque "zoo.count.default;T"  write S3:f32[4], S1:token[]  read S2:f32[4], S1:token[]  # graph step 0
output 0 read S3:f32[4]
)fx"},
    {"a list of results is as long as what is made of it", R"fx(x: "f32[4]", y: "f32[2]")fx",
     R"fx(n = torch.ops.zoo.list.default([x, y])
a: "f32[4]" = n[0]
b: "f32[3]" = n[1]
return (a, b))fx",
     R"fx(
storage S4 [4]  fresh 0
storage S5 [3]  fresh 1
step 0 opaque "zoo.list.default;[T,T,]"  write S4:f32[4], S5:f32[3]  read S2:f32[4], S3:f32[2]  # graph step 0
output 0 read S4:f32[4]
output 1 read S5:f32[3]
)fx"},
    {"as many as are asked for", R"fx(x: "f32[4]")fx",
     R"fx(n = torch.ops.zoo.many.default(x)
a: "f32[4]" = n[0]
b: "f32[2]" = n[1]
c: "f32[3]" = n[2]
return (a, b, c))fx",
     R"fx(
storage S3 [4]  fresh 0
storage S4 [2]  fresh 1
storage S5 [3]  fresh 2
step 0 opaque "zoo.many.default;T"  write S3:f32[4], S4:f32[2], S5:f32[3]  read S2:f32[4]  # graph step 0
output 0 read S3:f32[4]
output 1 read S4:f32[2]
output 2 read S5:f32[3]
)fx"},
    {"of a type that somebody says", R"fx(x: "f32[4]")fx",
     R"fx(a = torch.ops.zoo.tell.default(x)
b = torch.ops.aten.neg.default(a)
return (b,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata zoo.tell.default
unknown no-metadata aten.neg.default
unknown no-metadata b
)fx"},
};

// table: what declared views show
const FxRow kShown[] = {
    {"a view of as many elements as there are shows them in the order of memory", R"fx(x: "f32[2, 3]")fx",
     R"fx(c = torch.ops.aten.clone.default(x)
a: "f32[6][1]" = torch.ops.zoo.view.default(c)
b: "f32[2, 3][3, 1]" = torch.ops.zoo.view.default(c)
t = torch.ops.aten.t.default(c)
d: "f32[3, 2][2, 1]" = torch.ops.zoo.view.default(t)
e = torch.ops.aten.reshape.default(d, [6])
return (a, b, d, e))fx",
     R"fx(
storage S3 [2, 3]  fresh 0
step 0 move  write S3:f32[2, 3]  read S2:f32[2, 3]  # graph step 0
step 1 opaque "zoo.view.default;T"  read S3:f32[2, 3]  # graph step 1
step 2 opaque "zoo.view.default;T"  read S3:f32[2, 3]  # graph step 2
step 3 opaque "zoo.view.default;T"  read S3:f32.permute(1, 0)  # graph step 4
output 0 read S3:f32.reshape[6].reshape[6]
output 1 read S3:f32[2, 3]
output 2 read S3:f32.reshape[6].reshape[3, 2]
output 3 read S3:f32.reshape[6].reshape[3, 2].reshape[6]
)fx"},
    {"of the whole storage, whatever part is shown to it", R"fx(x: "f32[2, 3]")fx",
     R"fx(c = torch.ops.aten.clone.default(x)
p = torch.ops.aten.select.int(c, 0, 1)
a: "f32[6][1]" = torch.ops.zoo.view.default(p)
b = torch.ops.aten.as_strided.default(a, [2], [1])
return (a, b))fx",
     R"fx(
storage S3 [2, 3]  fresh 0
step 0 move  write S3:f32[2, 3]  read S2:f32[2, 3]  # graph step 0
step 1 opaque "zoo.view.default;T"  read S3:f32.slice(0, 1, step 1)[1, 3].reshape[3]  # graph step 2
output 0 read S3:f32.reshape[6].reshape[6]
output 1 read S3:f32.reshape[6].strided(0, [1])[2]
)fx"},
    {"of a storage that lies otherwise too", R"fx(x: "f32[2, 3][1, 2]")fx",
     R"fx(c = torch.ops.aten.clone.default(x)
a: "f32[2, 3][3, 1]" = torch.ops.zoo.view.default(c)
return (a,))fx",
     R"fx(
storage S3 [2, 3]  fresh 0
step 0 move  write S3:f32[2, 3]  read S2:f32[2, 3]  # graph step 0
step 1 opaque "zoo.view.default;T"  read S3:f32[2, 3]  # graph step 1
output 0 read S3:f32.permute(1, 0).reshape[6].reshape[2, 3]
)fx"},
    {"of the same type", R"fx(x: "f32[2, 3]")fx",
     R"fx(c = torch.ops.aten.clone.default(x)
a: "f16[2, 3][3, 1]" = torch.ops.zoo.view.default(c)
return (a,))fx",
     R"fx(
storage S3 [2, 3]  fresh 0
storage S4 [2, 3]  shown 0
step 0 move  write S3:f32[2, 3]  read S2:f32[2, 3]  # graph step 0
step 1 opaque "zoo.view.default;T;shown;3;1"  write S4:f16[2, 3]  read S3:f32[2, 3]  # graph step 1
step 2 opaque "zoo.view.default;T;shown;3;1"  write S4:f16[2, 3]  read S3:f32[2, 3]  # graph step 2
output 0 read S4:f16[2, 3]
unknown unsupported-op an output that shows elements that are not known
)fx"},
    {"of a storage without gaps", R"fx(x: "f32[2, 3]")fx",
     R"fx(c: "f32[2, 3][4, 1]" = torch.ops.aten.neg.default(x)
a: "f32[7][1]" = torch.ops.zoo.view.default(c)
d: "f32[6][1]" = torch.ops.zoo.view.default(c)
return (a, d))fx",
     R"fx(
storage S3 [7]  fresh 0
storage S4 [6]  fresh 1
step 0 opaque "aten.neg;T"  write S3:f32.strided(0, [4, 1])[2, 3]  read S2:f32[2, 3]  # graph step 0
step 1 opaque "zoo.view.default;T"  read S3:f32.strided(0, [4, 1])[2, 3]  # graph step 1
output 0 read S3:f32[7]
output 1 scalar 
unknown unsupported-op zoo.view.default (a view of elements that are not known)
unknown no-metadata d
)fx"},
    {"of elements of one width", R"fx(x: "f32[4]")fx",
     R"fx(c: "f32[4][1]" = torch.ops.aten.neg.default(x)
v = torch.ops.aten.view.dtype(c, torch.float16)
a: "f32[4][1]" = torch.ops.zoo.view.default(c)
return (v, a))fx",
     R"fx(
storage S3 [4] x 4 B  fresh 0
storage S4 [4]  fresh 1
step 0 opaque "aten.neg;T"  write S3:f32[4]  read S2:f32[4]  # graph step 0
output 0 read S3:f16.reshape[8, 2]
output 1 scalar 
unknown unsupported-op zoo.view.default (a view of elements that are not known)
unknown no-metadata a
)fx"},
    {"else of nobody knows which, as a function of all that it is given, brought up to date for each reader",
     R"fx(x: "f32[4]")fx",
     R"fx(c = torch.ops.aten.clone.default(x)
v: "f32[3]" = torch.ops.zoo.view.default(c)
a: "f32[3]" = torch.ops.aten.neg.default(v)
b = torch.ops.aten.add_.Tensor(c, 1)
d: "f32[3]" = torch.ops.aten.neg.default(v)
return (a, d))fx",
     R"fx(
storage S3 [4]  fresh 0
storage S4 [3]  shown 0
storage S5 [3]  fresh 2
storage S6 [3]  fresh 3
step 0 move  write S3:f32[4]  read S2:f32[4]  # graph step 0
step 1 opaque "zoo.view.default;T;shown;1"  write S4:f32[3]  read S3:f32[4]  # graph step 1
step 2 opaque "zoo.view.default;T;shown;1"  write S4:f32[3]  read S3:f32[4]  # graph step 2
step 3 opaque "aten.neg;T"  write S5:f32[3]  read S4:f32[3]  # graph step 2
step 4 opaque "aten.add;T;1"  write S3:f32[4]  read S3:f32[4]  # graph step 3
step 5 opaque "zoo.view.default;T;shown;1"  write S4:f32[3]  read S3:f32[4]  # graph step 4
step 6 opaque "aten.neg;T"  write S6:f32[3]  read S4:f32[3]  # graph step 4
output 0 read S5:f32[3]
output 1 read S6:f32[3]
)fx"},
    {"a view of such a view, of the first at first", R"fx(x: "f32[4]")fx",
     R"fx(c = torch.ops.aten.clone.default(x)
v: "f32[3][1]" = torch.ops.zoo.view.default(c)
w: "f32[2]" = torch.ops.zoo.view.default(v)
a: "f32[2]" = torch.ops.aten.neg.default(w)
return (a,))fx",
     R"fx(
storage S3 [4]  fresh 0
storage S4 [3]  shown 0
storage S5 [2]  shown 1
storage S6 [2]  fresh 3
step 0 move  write S3:f32[4]  read S2:f32[4]  # graph step 0
step 1 opaque "zoo.view.default;T;shown;1"  write S4:f32[3]  read S3:f32[4]  # graph step 1
step 2 opaque "zoo.view.default;T;shown;1"  write S4:f32[3]  read S3:f32[4]  # graph step 2
step 3 opaque "zoo.view.default;T;shown;1"  write S5:f32[2]  read S4:f32[3]  # graph step 2
step 4 opaque "zoo.view.default;T;shown;1"  write S4:f32[3]  read S3:f32[4]  # graph step 3
step 5 opaque "zoo.view.default;T;shown;1"  write S5:f32[2]  read S4:f32[3]  # graph step 3
step 6 opaque "aten.neg;T"  write S6:f32[2]  read S5:f32[2]  # graph step 3
output 0 read S6:f32[2]
)fx"},
    {"which is no storage of its own", R"fx(x: "f32[4]")fx",
     R"fx(c = torch.ops.aten.clone.default(x)
v: "f32[3][1]" = torch.ops.zoo.view.default(c)
w = torch.ops.aten.as_strided.default(v, [2], [1])
return (w,))fx",
     R"fx(
storage S3 [4]  fresh 0
storage S4 [3]  shown 0
step 0 move  write S3:f32[4]  read S2:f32[4]  # graph step 0
step 1 opaque "zoo.view.default;T;shown;1"  write S4:f32[3]  read S3:f32[4]  # graph step 1
output 0 scalar 
unknown no-metadata aten.as_strided.default
unknown no-metadata w
)fx"},
    {"of a part nobody knows anything", R"fx(x: "f32[4]")fx",
     R"fx(p = torch.ops.aten.slice.Tensor(x, 0, 1, 3)
v: "f32[3]" = torch.ops.zoo.view.default(p)
a: "f32[3]" = torch.ops.aten.neg.default(v)
return (a,))fx",
     R"fx(
storage S3 [3]  fresh 0
output 0 scalar 
unknown unsupported-op zoo.view.default (a view of elements that are not known)
unknown no-metadata aten.neg.default
unknown no-metadata a
)fx"},
    {"nor where it depends on more", R"fx(x: "f32[4]", y: "f32[4]")fx",
     R"fx(v: "f32[3]" = torch.ops.zoo.seen.default(x, y)
a: "f32[3]" = torch.ops.aten.neg.default(v)
return (a,))fx",
     R"fx(
storage S4 [3]  fresh 0
output 0 scalar 
unknown unsupported-op zoo.seen.default (a view of elements that are not known)
unknown no-metadata aten.neg.default
unknown no-metadata a
)fx"},
    {"nor where it tells somebody", R"fx(x: "f32[4]")fx",
     R"fx(v: "f32[3]" = torch.ops.zoo.tells.default(x)
a: "f32[3]" = torch.ops.aten.neg.default(v)
return (a,))fx",
     R"fx(
storage S3 [3]  fresh 0
output 0 scalar 
unknown unsupported-op zoo.tells.default (a view of elements that are not known)
unknown no-metadata aten.neg.default
unknown no-metadata a
)fx"},
    {"nor among other results", R"fx(x: "f32[4]")fx",
     R"fx(n = torch.ops.zoo.two.default(x)
a: "f32[3]" = n[0]
b: "f32[3]" = n[1]
return (a, b))fx",
     R"fx(
output 0 scalar 
output 1 scalar 
unknown unsupported-op zoo.two.default (a view of elements that are not known)
unknown no-metadata a
unknown no-metadata b
)fx"},
    {"but of all of them", R"fx(x: "f32[4]")fx",
     R"fx(n = torch.ops.zoo.two.default(x)
a: "f32[4][1]" = n[0]
b: "f32[3]" = n[1]
return (a, b))fx",
     R"fx(
storage S3 [3]  fresh 0
step 0 opaque "zoo.two.default;T"  write S3:f32[3]  read S2:f32[4]  # graph step 0
output 0 read S2:f32[4]
output 1 read S3:f32[3]
)fx"},
    {"nobody writes what it stands for, or itself", R"fx(x: "f32[4]")fx",
     R"fx(c = torch.ops.aten.clone.default(x)
v: "f32[4]" = torch.ops.zoo.view.default(c)
a = torch.ops.aten.add_.Tensor(c, v)
b = torch.ops.aten.add_.Tensor(v, c)
return (c,))fx",
     R"fx(
storage S3 [4]  fresh 0
storage S4 [4]  shown 0
step 0 move  write S3:f32[4]  read S2:f32[4]  # graph step 0
step 1 opaque "zoo.view.default;T;shown;1"  write S4:f32[4]  read S3:f32[4]  # graph step 1
step 2 opaque "zoo.view.default;T;shown;1"  write S4:f32[4]  read S3:f32[4]  # graph step 2
step 3 opaque "aten.add;T;T"  write S3:f32[4]  read S3:f32[4], S4:f32[4]  # graph step 2
step 4 opaque "zoo.view.default;T;shown;1"  write S4:f32[4]  read S3:f32[4]  # graph step 3
step 5 opaque "aten.add;T;T"  write S4:f32[4]  read S4:f32[4], S3:f32[4]  # graph step 3
output 0 read S3:f32[4]
unknown unsupported-op a write to elements that are not known
)fx"},
    {"nothing is shown of nothing", R"fx(x: "f32[4]")fx",
     R"fx(v: "f32[3]" = torch.ops.zoo.maybe.default(None)
return (v,))fx",
     R"fx(
output 0 scalar 
unknown no-metadata zoo.maybe.default
unknown unsupported-op zoo.maybe.default (a view of elements that are not known)
unknown no-metadata v
)fx"},
    {"what shows no argument is fresh", R"fx(x: "f32[4]")fx",
     R"fx(v: "f32[3]" = torch.ops.zoo.odd.default(x)
return (v,))fx",
     R"fx(
storage S3 [3]  fresh 0
step 0 opaque "zoo.odd.default;T"  write S3:f32[3]  read S2:f32[4]  # graph step 0
output 0 read S3:f32[3]
)fx"},
};

}  // namespace

TEST_CASE("a declared operator reads and writes what its declaration says", "[traced]") {
  check_rows(kDeclared, kZoo);
}
TEST_CASE("a declared view shows all of a storage, or nobody knows what of it", "[traced]") {
  check_rows(kShown, kZoo);
}

}  // namespace declared_test
