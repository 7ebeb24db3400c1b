// Sharing of outputs where one graph alone has storages that are seen as bytes.
#include "checker/kernel/sharing.h"
#include "checker/text/read.h"
#include "tests/unit/checker/two.h"

namespace sharing_bytes_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

/// Both graphs show two views of a storage of their own, which has 4 bytes in each element after alone.
struct Shown {
  Two two;
  TraceView was_x = two.all(kA), was_y = two.all(kA), is_x = two.all(kA), is_y = two.all(kA);

  Shown() {
    two.after.storages[kA].lanes = 4;
    is_x.lanes = is_y.lanes = 4;
  }
  bool shared_no_more() {
    two.before.outputs = {{was_x, "", {}, false, std::nullopt}, {was_y, "", {}, false, std::nullopt}};
    two.after.outputs = {{is_x, "", {}, false, std::nullopt}, {is_y, "", {}, false, std::nullopt}};
    Certificate content = two.content();
    Space own = searching_space();
    const checker::Certificate read = checker::read(own, certificate_text(two.space, content), false);
    const checker::Check& check = read.checks[0];
    return checker::Sharing(own, *check.before, check.after, check.boundary).with_outputs(1);
  }
  /// Element k is element k + 1, of three.
  TraceView moved(std::int16_t lanes) {
    TraceView out = two.from(kA, 1, 3);
    out.lanes = lanes;
    return out;
  }
  TraceView first(std::int16_t lanes) {
    TraceView out = two.from(kA, 0, 3);
    out.lanes = lanes;
    return out;
  }
  /// Elements that begin `skip` bytes behind the start of the storage.
  TraceView behind(std::int64_t skip, std::int64_t count = 3) {
    Map flat, part, back;
    const PolyId one = two.space.constant(1), length = two.space.constant(count), four = two.four[0];
    flat.from = {four, four}, flat.to = {two.space.constant(16), one};
    part.kind = Map::Kind::slice;
    part.from = {two.space.constant(16)}, part.to = {two.space.constant(4 * count)};
    part.start = two.space.constant(skip), part.step = one;
    back.from = {two.space.constant(4 * count), one}, back.to = {length, four};
    return {kA, {flat, part, back}, {length}, "f32", 4};
  }
};

}  // namespace

TEST_CASE("sharing: elements that were one are one byte by byte", "[sharing]") {
  Shown same;
  CHECK(same.shared_no_more());
  // One element then, and the other graph keeps them apart.
  Shown other;
  other.was_y.storage = kB;
  CHECK_FALSE(other.shared_no_more());
  // Elements k and k + 1 are one in both; k and k in one alone.
  Shown moved;
  moved.was_x = moved.first(0), moved.was_y = moved.moved(0);
  moved.is_x = moved.first(4), moved.is_y = moved.moved(4);
  CHECK(moved.shared_no_more());
  moved.was_y = moved.first(0);
  CHECK_FALSE(moved.shared_no_more());
  moved.is_y = moved.first(4);
  CHECK(moved.shared_no_more());
  moved.was_y = moved.moved(0);
  CHECK_FALSE(moved.shared_no_more());
}

TEST_CASE("sharing: a byte is one with another byte of what was one element", "[sharing]") {
  // The bytes of elements k and k + 1 meet where they have one number: 4 bytes on. 2 bytes on, they do not.
  Shown at;
  at.was_x = at.first(0), at.was_y = at.moved(0);
  at.is_x = at.first(4), at.is_y = at.behind(4);
  CHECK(at.shared_no_more());
  at.is_y = at.behind(2);
  CHECK_FALSE(at.shared_no_more());
  // One element, whose byte 2 is now its byte 0.
  Shown one;
  one.was_x = one.was_y = one.two.from(kA, 0, 1);
  one.is_x = one.is_y = one.behind(0, 1);
  CHECK(one.shared_no_more());
  one.is_y = one.behind(2, 1);
  CHECK_FALSE(one.shared_no_more());
}

}  // namespace sharing_bytes_test
