// Lemmas that name a row of the kernel's table of identities: an honest use of each, and false ones.
#include <fstream>
#include <map>
#include <sstream>

#include "src/ops/identities.h"
#include "tests/catch.h"
#include "tests/support/source_dir.h"
#include "tests/support/traced.h"

namespace identity_lemmas_test {

using namespace noclobber;
using namespace noclobber::testing;
using checker::Lemma;

namespace {

constexpr std::uint32_t kBefore = 0;

/// `before` computes r of x (and of y, or of a constant) by `key`; `after` does what it is said to be.
struct Claim {
  std::string row, key;
  std::vector<std::string> constants = {};  // per read, of type and value; "": an input of `type`
  std::string type = "f32", result = "";    // "": the same
  std::uint32_t argument = 0;
  std::string becomes = "x";  // "x", "y": that input; else a scalar, or the operator of x
  std::vector<std::string> assumed = {};
  std::uint32_t step = ~0U;  // that the lemma is about; else the one that computes
  std::string seen = "";     // the type that the output looks at the result as; "": its own
};

struct Built {
  Space space;
  Certificate content;
  std::vector<StorageId> inputs;
};

TraceView all_of(Built& b, StorageId storage, const std::string& type) {
  return {storage, {}, {b.space.constant(4)}, type, 0};
}
StorageId storage(Built& b, Trace& t, TraceStorage::Start start, const std::string& key) {
  t.storages.push_back({start, key, {b.space.constant(4)}, 0, true, start == TraceStorage::Start::given});
  return static_cast<StorageId>(t.storages.size() - 1);
}
TraceStep step(TraceStep::Kind kind, const std::string& key, TraceViews reads, TraceView to) {
  TraceStep out;
  out.kind = kind, out.key = key, out.reads = std::move(reads), out.writes = {std::move(to)};
  out.elementwise = kind == TraceStep::Kind::opaque;
  out.access.edit().assign(out.reads.size(), {Access::before_write});
  return out;
}

/// With inputs x and y of that type.
Trace begun(Built& b, const std::string& type) {
  Trace t;
  for (const char* name : {"x", "y"}) {
    const StorageId at = storage(b, t, TraceStorage::Start::given, std::string("in:") + name);
    t.inputs.push_back({name, all_of(b, at, type)});
  }
  return t;
}
void finish(Built& b, Trace& t, TraceStep last, const std::string& type, const std::string& seen = "") {
  const StorageId r = storage(b, t, TraceStorage::Start::undefined, "r");
  last.writes = {all_of(b, r, type)};
  t.steps.push_back(std::move(last));
  for (std::uint32_t k = 0; k < t.steps.size(); ++k) t.steps[k].origin = k;
  TraceOutput out;
  out.view = all_of(b, r, seen.empty() ? type : seen);
  t.outputs.push_back(std::move(out));
}

Said said(const Claim& c) {
  Built b;
  const std::string result = c.result.empty() ? c.type : c.result;
  Trace before = begun(b, c.type), after = begun(b, c.type);
  TraceViews reads;
  for (std::size_t k = 0; k < c.constants.size(); ++k) {
    if (c.constants[k].empty()) {
      reads.push_back(before.inputs[k].view);
      continue;
    }
    const std::string type = c.constants[k].substr(0, c.constants[k].find(':'));
    const StorageId s = storage(b, before, TraceStorage::Start::undefined, "c" + std::to_string(k));
    before.steps.push_back(step(TraceStep::Kind::fill, c.constants[k], {}, all_of(b, s, type)));
    reads.push_back(all_of(b, s, type));
  }
  finish(b, before, step(TraceStep::Kind::opaque, c.key, reads, {}), result, c.seen);
  if (c.becomes == "x" || c.becomes == "y")
    finish(b, after, step(TraceStep::Kind::move, "", {after.inputs[c.becomes == "x" ? 0 : 1].view}, {}),
           result, c.seen);
  else if (c.becomes.find(';') == std::string::npos)
    finish(b, after, step(TraceStep::Kind::fill, c.becomes, {}, {}), result, c.seen);
  else
    finish(b, after,
           step(TraceStep::Kind::opaque, c.becomes, {after.inputs[c.argument == 0 ? 1 : 0].view}, {}), result,
           c.seen);
  const auto last = static_cast<std::uint32_t>(before.steps.size() - 1);
  b.content.about = "identity", b.content.operators = "x", b.content.assumptions = c.assumed;
  Boundary boundary;
  boundary.sharing_may_grow = true;
  b.content.checks.push_back(
      {"",
       std::move(before),
       std::move(after),
       boundary,
       {},
       {{Lemma::Kind::identity, c.step == ~0U ? last : c.step, c.argument, kBefore, 0, {{{}, c.row}}}}});
  return nc_check(b.space, b.content).said;
}

const std::string kSign = "-0 counts as 0 in aten.add with 0";

// table
const Claim kHonest[] = {
    {"mul-one", "aten.mul;T;1", {""}},
    {"mul-one", "aten.mul;T;T", {"", "f32:1"}},
    {"mul-one", "aten.mul;T;T", {"f32:1", ""}, "f32", "", 1, "y"},
    {"mul-one", "aten.mul;T;T", {"", "i64:1"}},
    {"mul-one", "aten.mul;T;1f", {""}},
    {"mul-one", "aten.mul;T;1;on cuda", {""}},
    {"mul-one", "prims.mul;T;T", {"", "bf16:1"}, "bf16"},
    {"add-zero", "aten.add;T;0", {""}, "i32"},
    {"add-zero", "aten.add;T;0", {""}, "f32", "", 0, "x", {kSign}},
    {"add-zero", "aten.add;T;T;alpha=-3", {"", "i8:0"}, "i8"},
    {"sub-zero", "aten.sub;T;0", {""}},
    {"add-zero", "aten.add;T;0", {""}, "i32", "", 0, "x", {}, ~0U, "f32"},
    {"fold-add", "aten.add;T;3", {"f32:2"}, "f32", "", 0, "f32:5", {}, ~0U, "i32"},
    {"sub-zero", "aten.sub;T;0;alpha=2", {""}},
    {"div-one", "aten.div.Tensor;T;1f", {""}},
    {"pow-one", "aten.pow.Tensor_Scalar;T;1", {""}, "f64"},
    {"fold-add", "aten.add;T;3", {"f32:2"}, "f32", "", 0, "f32:5"},
    {"fold-sub", "aten.sub;T;T", {"i32:2", "i32:7"}, "i32", "", 0, "i32:-5"},
    {"fold-mul", "aten.mul;T;T", {"f16:32", "f16:64"}, "f16", "", 0, "f16:2048"},
    {"fold-neg", "aten.neg;T", {"i8:127"}, "i8", "", 0, "i8:-127"},
    {"fold-max", "aten.maximum;T;T", {"u8:3", "u8:9"}, "u8", "", 0, "u8:9"},
    {"fold-min", "aten.minimum;T;T", {"u8:3", "u8:9"}, "u8", "", 0, "u8:3"},
    {"fold-eq", "aten.eq;T;2", {"f32:2"}, "f32", "bool", 0, "bool:1"},
    {"fold-ne", "aten.ne;T;2", {"f32:2"}, "f32", "bool", 0, "bool:0"},
    {"fold-lt", "aten.lt;T;2", {"f32:1"}, "f32", "bool", 0, "bool:1"},
    {"fold-le", "aten.le;T;2", {"f32:2"}, "f32", "bool", 0, "bool:1"},
    {"fold-gt", "aten.gt;T;2", {"f32:2"}, "f32", "bool", 0, "bool:0"},
    {"fold-ge", "aten.ge;T;2", {"f32:2"}, "f32", "bool", 0, "bool:1"},
    {"number-add", "aten.add;T;T", {"", "f32:3"}, "f32", "", 1, "aten.add;T;3"},
    {"number-sub", "aten.sub;T;T;alpha=2", {"", "i8:3"}, "i8", "", 1, "aten.sub;T;3;alpha=2"},
    {"number-mul", "aten.mul;T;T", {"f32:-3", ""}, "f32", "", 0, "aten.mul;-3;T"},
    {"number-max", "aten.maximum;T;T", {"", "f32:3"}, "f32", "", 1, "aten.maximum;T;3"},
    {"number-min", "aten.minimum;T;T", {"", "f32:3"}, "f32", "", 1, "aten.minimum;T;3"},
    {"number-eq", "aten.eq;T;T", {"", "bool:1"}, "bool", "", 1, "aten.eq;T;1"},
    {"number-ne", "aten.ne;T;T", {"", "f32:3"}, "f32", "bool", 1, "aten.ne;T;3"},
    {"number-lt", "aten.lt;T;T", {"", "f32:3"}, "f32", "bool", 1, "aten.lt;T;3"},
    {"number-le", "aten.le;T;T", {"", "f32:3"}, "f32", "bool", 1, "aten.le;T;3"},
    {"number-gt", "aten.gt;T;T", {"", "f32:3"}, "f32", "bool", 1, "aten.gt;T;3"},
    {"number-ge", "aten.ge;T;T", {"", "f32:3"}, "f32", "bool", 1, "aten.ge;T;3"},
};
// table
const Claim kFalse[] = {
    {"mul-one", "aten.mul;T;2", {""}},                              // another number
    {"mul-one", "aten.mul;T;T", {"", ""}},                          // none at all
    {"mul-one", "aten.mul;T;T", {"", "f32:1"}, "f32", "", 1, "x"},  // the other argument
    {"mul-one", "aten.mul;T;1", {""}, "f32", "", 1, "x"},           // the number itself
    {"mul-one", "aten.mul;T;1", {""}, "c64"},                       // other types
    {"mul-one", "aten.mul;T;1", {""}, "f32", "f64"},                // another type of the result
    {"mul-one", "aten.mul;T;1", {""}, "f32", "", 0, "y"},           // another operand
    {"mul-one", "aten.mul;T;1;T", {"", ""}},                        // more arguments
    {"mul-one", "aten.mul;T;1;rounding_mode=5'floor'", {""}},
    {"mul-one", "aten.add;T;1", {""}},  // another operator
    {"mul-one", "aten.mulx;T;1", {""}},
    {"mul-one", "aten.mul;T;1", {""}, "f32", "", 0, "x", {}, ~0U, "i32"},  // another NaN has other bits
    {"div-one", "aten.div.Tensor;T;1f", {""}, "f64", "", 0, "x", {}, ~0U, "i64"},
    {"add-zero", "aten.add;T;0", {""}, "f32", "", 0, "x", {kSign}, ~0U, "i32"},
    {"mul-two", "aten.mul;T;2", {""}},   // no row
    {"add-zero", "aten.add;T;0", {""}},  // not assumed
    {"add-zero", "aten.add;T;0", {""}, "f32", "", 0, "x", {"-0 counts as 0 in aten.sub with 0"}},
    {"add-zero", "aten.add;T;-0f", {""}, "f32", "", 0, "x", {kSign}},
    {"add-zero", "aten.add;0;T;alpha=2", {""}, "i32", "", 1, "x"},  // twice x
    {"sub-zero", "aten.sub;0;T", {""}, "f32", "", 1, "x"},          // -x
    {"sub-zero", "aten.sub;T;0;alpha=-1", {""}},                    // of -0 makes 0
    {"sub-zero", "aten.sub;T;0", {""}, "bool"},
    {"div-one", "aten.div.Tensor;1;T", {""}, "f32", "", 1, "x"},
    {"div-one", "aten.div.Tensor;T;1", {""}, "i32"},
    {"div-one", "aten.div.Tensor_mode;T;1;rounding_mode=5'floor'", {""}},
    {"pow-one", "aten.pow.Scalar;1;T", {""}, "f32", "", 1, "x"},
    {"fold-add", "aten.add;T;3", {"f32:2"}, "f32", "", 0, "f32:6"},
    {"fold-add", "aten.add;T;3;alpha=2", {"f32:2"}, "f32", "", 0, "f32:5"},
    {"fold-add", "aten.add;T;1", {"f32:16777216"}, "f32", "", 0, "f32:16777217"},
    {"fold-add", "aten.add;T;1", {"i8:127"}, "i8", "", 0, "i8:128"},
    {"fold-add", "aten.add;T;3", {""}, "f32", "", 0, "f32:5"},
    {"fold-add", "aten.add;T;T", {"i32:2", "f32:3"}, "i32", "", 0, "i32:5"},
    {"fold-sub", "aten.sub;T;T", {"i32:2", "i32:7"}, "i32", "", 0, "i32:5"},
    {"fold-sub", "aten.sub;T;1", {"u8:0"}, "u8", "", 0, "u8:-1"},
    {"fold-mul", "aten.mul;T;-1", {"f32:0"}, "f32", "", 0, "f32:0"},
    {"fold-mul", "aten.mul;T;T", {"f16:64", "f16:64"}, "f16", "", 0, "f16:4096"},
    {"fold-neg", "aten.neg;T", {"f32:0"}, "f32", "", 0, "f32:0"},
    {"fold-neg", "aten.neg;T", {"i8:-128"}, "i8", "", 0, "i8:128"},
    {"fold-max", "aten.maximum;T;T", {"u8:3", "u8:9"}, "u8", "", 0, "u8:3"},
    {"fold-min", "aten.minimum;T;T", {"u8:3", "u8:9"}, "u8", "", 0, "u8:9"},
    {"fold-eq", "aten.eq;T;2.5f", {"f32:2"}, "f32", "bool", 0, "bool:1"},
    {"fold-ne", "aten.ne;T;2", {"f32:2"}, "f32", "bool", 0, "bool:1"},
    {"fold-lt", "aten.lt;T;2", {"f32:2"}, "f32", "bool", 0, "bool:1"},
    {"fold-le", "aten.le;T;2", {"f32:3"}, "f32", "bool", 0, "bool:1"},
    {"fold-gt", "aten.gt;T;2", {"f32:2"}, "f32", "bool", 0, "bool:1"},
    {"fold-ge", "aten.ge;T;2", {"f32:1"}, "f32", "bool", 0, "bool:1"},
    {"fold-ge", "aten.ge;T;2", {"f32:2"}, "f32", "", 0, "f32:1"},
    {"number-add", "aten.add;T;T", {"", "f32:3"}, "f32", "", 1, "aten.add;T;4"},
    {"number-add", "aten.add;T;T", {"", "bool:1"}, "bool", "", 1, "aten.add;T;1"},
    {"number-add", "aten.add;T;T", {"", "f64:3"}, "f32", "", 1, "aten.add;T;3"},
    {"number-sub", "aten.sub;T;T", {"f32:3", ""}, "f32", "", 0, "aten.sub;T;3"},
    {"number-sub", "aten.sub;T;T;alpha=2", {"", "i8:3"}, "i8", "", 1, "aten.sub;T;3"},
    {"number-mul", "aten.mul;T;T", {"", "f16:2049"}, "f16", "", 1, "aten.mul;T;2049"},
    {"number-mul", "aten.mul;T;T", {"", ""}, "f32", "", 1, "aten.mul;T;3"},
    {"number-max", "aten.maximum;T;T", {"", "f32:3"}, "f32", "", 1, "aten.minimum;T;3"},
    {"number-min", "aten.minimum;T;T", {"", "c64:3"}, "c64", "", 1, "aten.minimum;T;3"},
    {"number-eq", "aten.eq;T;T", {"", "f32:3"}, "f32", "bool", 1, "aten.ne;T;3"},
    {"number-ne", "aten.ne;T;T", {"", "f32:3"}, "f32", "bool", 1, "aten.ne;T;-3"},
    {"number-lt", "aten.lt;T;T", {"f32:3", ""}, "f32", "bool", 0, "aten.lt;T;3"},
    {"number-le", "aten.le;T;T", {"", "f32:3"}, "f32", "bool", 1, "aten.lt;T;3"},
    {"number-gt", "aten.gt;T;T", {"", "f32:3"}, "f32", "bool", 1, "aten.ge;T;3"},
    {"number-ge", "aten.ge;T;T", {"", "f32:-0f"}, "f32", "bool", 1, "aten.ge;T;0"},
    {"mul-one", "aten.mul;T;T", {"", "f32:1"}, "f32", "", 0, "x", {}, 0},  // about the fill
    {"mul-one", "aten.mul;T;1", {""}, "f32", "", 0, "x", {}, 7},           // no step
};

/// x cast there, from there on to r; `after` casts it at once, or moves it.
Said cast(const std::string& from, const std::string& between, const std::string& to,
          bool with_lemma = true) {
  Built b;
  Trace before = begun(b, from), after = begun(b, from);
  const StorageId s = storage(b, before, TraceStorage::Start::undefined, "between");
  before.steps.push_back(step(TraceStep::Kind::move, "", {before.inputs[0].view}, all_of(b, s, between)));
  finish(b, before, step(TraceStep::Kind::move, "", {all_of(b, s, between)}, {}), to);
  finish(b, after, step(TraceStep::Kind::move, "", {after.inputs[0].view}, {}), to);
  b.content.about = "identity", b.content.operators = "x";
  Boundary boundary;
  boundary.sharing_may_grow = true;
  b.content.checks.push_back({"", std::move(before), std::move(after), boundary, {}, {}});
  if (with_lemma)
    b.content.checks[0].lemmas = {{Lemma::Kind::identity, 1, 0, kBefore, 0, {{{}, "convert-wider"}}}};
  return nc_check(b.space, b.content).said;
}

}  // namespace

TEST_CASE("an identity is accepted as an instance of a row", "[identities]") {
  std::set<std::string> rows;
  for (const Claim& c : kHonest) {
    INFO(c.row << ": " << c.key << ", " << c.type);
    CHECK(said(c) == Said::proved);
    rows.insert(c.row);
  }
  for (const Identity& row : identities())
    if (row.form == Identity::Form::keeps || row.form == Identity::Form::folds ||
        row.form == Identity::Form::number)
      CHECK(rows.contains(std::string(row.name)));
}

TEST_CASE("a false use of an identity is refused", "[identities]") {
  std::map<std::string, int> rows;
  for (const Claim& c : kFalse) {
    INFO(c.row << ": " << c.key << ", " << c.type);
    CHECK(said(c) == Said::not_proved);
    ++rows[c.row];
  }
  for (const Claim& c : kHonest) CHECK(rows[c.row] > 0);
}

TEST_CASE("casts are merged exactly where the table says so", "[identities]") {
  constexpr Dtype types[] = {Dtype::f64,    Dtype::f32,     Dtype::f16, Dtype::bf16, Dtype::f8e4m3fn,
                             Dtype::f8e5m2, Dtype::i64,     Dtype::i32, Dtype::i16,  Dtype::i8,
                             Dtype::i4,     Dtype::u64,     Dtype::u32, Dtype::u16,  Dtype::u8,
                             Dtype::u4,     Dtype::boolean, Dtype::c64, Dtype::c128, Dtype::other};
  const Identity* row = find_identity(Identity::Form::converts, "");
  int merged = 0;
  for (const Dtype from : types)
    for (const Dtype between : types)
      for (const Dtype to : types) {
        if (from == between || between == to) continue;
        INFO(name(from) << " > " << name(between) << " > " << name(to));
        const bool is =
            row->exact.contains(from) && holds_all(between, from) && converts_alike(from, between, to);
        CHECK((cast(std::string(name(from)), std::string(name(between)), std::string(name(to))) ==
               Said::proved) == is);
        merged += is;
      }
  CHECK(merged > 200);
  CHECK(cast("f16", "f32", "f16", false) == Said::not_proved);
}

TEST_CASE("rows of the kernel are rows of the table", "[identities]") {
  std::ifstream file(in_sources("/checker/kernel/identities.def"));
  std::map<std::string, std::string> held;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("ROW(\"")) held[line.substr(5, line.find('"', 5) - 5)] = line;
  std::size_t rows = 0;
  for (const Identity& row : identities()) {
    const auto at = held.find(std::string(row.name));
    const bool kernel = row.form == Identity::Form::keeps || row.form == Identity::Form::folds ||
                        row.form == Identity::Form::number || row.form == Identity::Form::converts;
    INFO(row.name);
    CHECK((at != held.end()) == kernel);
    if (at == held.end()) continue;
    ++rows;
    CHECK(at->second.find("\"" + std::string(row.op) + "\", \"" + std::string(row.also) + "\"") !=
          std::string::npos);
    const auto whole = at->second.find("INTEGERS") != std::string::npos,
               boolean = at->second.find(" bool\"") != std::string::npos;
    CHECK((row.exact.contains(Dtype::i4) == whole && row.exact.contains(Dtype::boolean) == boolean));
  }
  CHECK(rows == held.size());
}

}  // namespace identity_lemmas_test
