// Pairs of graphs, each proved or not, for what few cases of the corpus come by: bodies that are compared as
// text, tokens, lists of views, renames.
#include "src/formats/case/case_json.h"
#include "tests/catch.h"
#include "tests/support/traced.h"

namespace modelled_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

std::string ref(const std::string& name) { return R"({"ref": ")" + name + R"("})"; }
std::string listed(const std::string& items) { return "[" + items + "]"; }
std::string typed(const std::string& shape, const std::string& dtype = "f32") {
  return R"("type": {"dtype": ")" + dtype + R"(", "shape": )" + shape + "}";
}
std::string input(const std::string& name, const std::string& shape, const std::string& dtype = "f32") {
  return R"({"name": ")" + name + R"(", )" + typed(shape, dtype) + "}";
}
std::string step(const std::string& names, const std::string& op, const std::string& args,
                 const std::string& kwargs = "") {
  std::string quoted;
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t end = std::min(names.find(' ', at), names.size());
    if (end > at) quoted += (quoted.empty() ? "\"" : ", \"") + names.substr(at, end - at) + "\"";
    at = end + 1;
  }
  return R"({"names": [)" + quoted + R"(], "op": ")" + op + R"(", "args": [)" + args + R"(], "kwargs": {)" +
         kwargs + "}}";
}
std::string graph(const std::string& inputs, const std::string& steps, const std::string& outputs) {
  return R"({"inputs": [)" + inputs + R"(], "steps": [)" + steps + R"(], "outputs": [)" + outputs + "]}";
}

struct Outcome {
  bool proved = false;
  std::set<std::string> unknown;
};

/// By the rules of the checker, as one world: what stands in branches is compared as text.
Outcome said(const std::string& bodies, const std::string& before, const std::string& after) {
  const auto value = read_case_json(R"({"format": "noclobber.case/1", "name": "t", "graphs": {)" + bodies +
                                    R"(}, "before": )" + before + R"(, "after": )" + after + "}");
  INFO((value ? "" : value.fault().where + " " + value.fault().message));
  REQUIRE(value);
  Modelled m;
  REQUIRE(model(*value, m));
  Outcome out;
  REQUIRE(m.traced.before);
  for (const Trace* trace : {&*m.traced.before, &m.traced.after})
    for (const auto& [reason, name] : trace->unknown) out.unknown.insert(reason);
  Terms terms(m.space);
  Rules rules(m.space, terms, &*m.traced.before, m.traced.after, m.boundary);
  out.proved = decide(rules, enumerate(&*m.traced.before, m.traced.after, m.boundary), {}).proved;
  return out;
}

// A branch on c with the operands x and z; its bodies take them as p and q.
const std::string kInputs = input("x", "[2]") + ", " + input("z", "[2]") + ", " + input("c", "[]", "bool");
const std::string kOperands = input("p", "[2]") + ", " + input("q", "[2]");
const std::string kNegative =
    R"("no": )" + graph(kOperands, step("r", "aten.neg.default", ref("p")), ref("r"));

std::string branching(const std::string& yes, const std::string& shape = "[2]",
                      const std::string& operands = "") {
  const std::string given = operands.empty() ? ref("x") + ", " + ref("z") : operands;
  return graph(kInputs,
               R"({"name": "r", "op": "higher_order.cond", "args": [{"ref": "c"}, {"graph": ")" + yes +
                   R"("}, {"graph": "no"}, [)" + given + R"(]], "types": [{"dtype": "f32", "shape": )" +
                   shape + "}]}",
               ref("r"));
}

Outcome bodies(const std::string& before, const std::string& after, const std::string& more = "") {
  return said(kNegative + R"(, "a": )" + before + R"(, "b": )" + after + more, branching("a"),
              branching("b"));
}
std::string of(const std::string& steps, const std::string& outputs) {
  return graph(kOperands, steps, outputs);
}

}  // namespace

TEST_CASE("bodies are the same where they compute the same from the same", "[modelled]") {
  const std::string both = ref("p") + ", " + ref("q");
  const std::string sum = of(step("r", "aten.add.Tensor", both), ref("r"));
  CHECK(bodies(sum, sum).proved);
  CHECK(bodies(sum, of(step("other", "aten.add.Tensor", both), ref("other"))).proved);
  const std::string joined = step("l", "aten.stack.default", listed(both)) + ", ";
  const std::string turned = step("l", "aten.stack.default", listed(ref("q") + ", " + ref("p"))) + ", ";
  const std::string row = step("s", "aten.sum.dim_IntList", ref("l") + ", [1]");
  const std::string two =
      step("u", "aten.neg.default", ref("p")) + ", " + step("v", "aten.abs.default", ref("q"));
  const std::vector<std::string> all{
      sum,
      of(step("r", "aten.sub.Tensor", both), ref("r")),
      of(step("r", "aten.add.Tensor", ref("p") + ", " + ref("p")), ref("r")),
      of(step("r", "aten.add.Tensor", both, R"("alpha": 2)"), ref("r")),
      of(step("r", "aten.add.Tensor", both, R"("alpha": 3)"), ref("r")),
      of(joined + row, ref("s")),
      of(turned + row, ref("s")),
      of(joined + step("s", "aten.sum.dim_IntList", ref("l") + ", [0]"), ref("s")),
      of(two, ref("u")),
      of(two, ref("v")),
      of(two + ", " + step("w", "aten.sub.Tensor", ref("u") + ", " + ref("v")), ref("w")),
      of(two + ", " + step("w", "aten.sub.Tensor", ref("v") + ", " + ref("u")), ref("w"))};
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < all.size(); ++b) {
      INFO(all[a] << "\n" << all[b]);
      const Outcome one = bodies(all[a], all[b]);
      CHECK(one.unknown.empty());
      CHECK(one.proved == (a == b));
    }
}

TEST_CASE("bodies that do more than compute fresh results are not compared", "[modelled]") {
  const auto refused = [](const std::string& body) {
    const Outcome one = bodies(body, body);
    return !one.proved && one.unknown.contains("unsupported-op");
  };
  CHECK(refused(of(step("r", "aten.add_.Tensor", ref("p") + ", " + ref("q")), ref("r"))));
  CHECK(refused(of("", ref("p"))));
  CHECK(refused(of(step("r", "aten.slice.Tensor", ref("p")), ref("r"))));
  const std::string twice = of(step("r", "aten.neg.default", ref("p")), ref("r") + ", " + ref("r"));
  CHECK(refused(twice));
  CHECK(refused(of(step("r", "aten.bernoulli.default", ref("p")), ref("r"))));
}

TEST_CASE("branches within branches are compared as well, to some depth", "[modelled]") {
  const auto nested = [](const std::string& inner) {
    return of(
        R"({"name": "k", "op": "aten.gt.Scalar", "args": [{"ref": "p"}, 0]}, {"name": "r", "op": "higher_order.cond", "args": [{"ref": "k"}, {"graph": ")" +
            inner +
            R"("}, {"graph": "no"}, [{"ref": "p"}, {"ref": "q"}]], "types": [{"dtype": "f32", "shape": [2]}]})",
        ref("r"));
  };
  const std::string inner = R"(, "i": )" + of(step("r", "aten.sin.default", ref("p")), ref("r")) +
                            R"(, "j": )" + of(step("r", "aten.cos.default", ref("p")), ref("r"));
  CHECK(bodies(nested("i"), nested("i"), inner).proved);
  CHECK_FALSE(bodies(nested("i"), nested("j"), inner).proved);
  CHECK_FALSE(bodies(nested("i"), nested("a"), inner).proved);  // in itself
}

TEST_CASE("a branch reads its operands as they are when it runs, in their order", "[modelled]") {
  const std::string body =
      R"(, "a": )" + of(step("r", "aten.sub.Tensor", ref("p") + ", " + ref("q")), ref("r"));
  const auto operands = [](const std::string& one, const std::string& other) {
    return branching("a", "[2]", ref(one) + ", " + ref(other));
  };
  CHECK(said(kNegative + body, operands("x", "z"), operands("x", "z")).proved);
  CHECK_FALSE(said(kNegative + body, operands("x", "z"), operands("z", "x")).proved);
  const auto cloned = [](const std::string& before_branch, const std::string& behind) {
    return graph(
        kInputs,
        step("y", "aten.clone.default", ref("x")) + ", " + before_branch +
            R"({"name": "r", "op": "higher_order.cond", "args": [{"ref": "c"}, {"graph": "a"}, {"graph": "no"}, [{"ref": "y"}, {"ref": "z"}]], "types": [{"dtype": "f32", "shape": [2]}]})" +
            behind,
        ref("r"));
  };
  const std::string zero = step("w", "aten.zero_.default", ref("y"));
  CHECK(said(kNegative + body, cloned("", ""), cloned("", ", " + zero)).proved);
  CHECK_FALSE(said(kNegative + body, cloned("", ""), cloned(zero + ", ", "")).proved);
}

TEST_CASE("what stands in the sequence of effects stays there", "[modelled]") {
  const std::string inputs = input("x", "[2]") + ", " + input("t", "[0]");
  const auto effect = [](const std::string& names, const std::string& token, const std::string& op,
                         const std::string& more) {
    return step(names, "higher_order.with_effects", ref(token) + R"(, ")" + op + R"(", )" + more);
  };
  const std::string neg = effect("t1 r", "t", "aten.neg.default", ref("x"));
  const std::string abs = effect("t2 s", "t1", "aten.abs.default", ref("x"));
  const std::string late = effect("t2 r", "t1", "aten.neg.default", ref("x"));
  const std::string first = effect("t1 s", "t", "aten.abs.default", ref("x"));
  const std::string outputs = ref("r") + ", " + ref("s");
  const Outcome kept =
      said("", graph(inputs, neg + ", " + abs, outputs), graph(inputs, neg + ", " + abs, outputs));
  CHECK(kept.unknown.empty());
  CHECK(kept.proved);
  CHECK_FALSE(
      said("", graph(inputs, neg + ", " + abs, outputs), graph(inputs, first + ", " + late, outputs)).proved);
  CHECK_FALSE(said("", graph(inputs, neg + ", " + abs, outputs),
                   graph(inputs,
                         step("r", "aten.neg.default", ref("x")) + ", " +
                             effect("t1 s", "t", "aten.abs.default", ref("x")),
                         outputs))
                  .proved);
  // The step behind them is as free as ever.
  const std::string plain = step("o", "aten.sin.default", ref("x"));
  CHECK(said("", graph(inputs, neg + ", " + plain, ref("r") + ", " + ref("o")),
             graph(inputs, plain + ", " + neg, ref("r") + ", " + ref("o")))
            .proved);
  const std::string unknown = effect("t1 r", "t", "zoo.op.default", ref("x"));
  CHECK(said("", graph(inputs, unknown, ref("r")), graph(inputs, unknown, ref("r")))
            .unknown.contains("unsupported-op"));
}

TEST_CASE("lists of views are the views that they list", "[modelled]") {
  const std::string inputs = input("u", "[2]") + ", " + input("v", "[3]") + ", " + input("m", "[2, 1]");
  const std::string sub = step("r", "aten.sub.Tensor", ref("a") + ", " + ref("b"));
  const auto proved = [&](const std::string& before, const std::string& after) {
    const Outcome one =
        said("", graph(inputs, before + ", " + sub, ref("r")), graph(inputs, after + ", " + sub, ref("r")));
    return one.proved && one.unknown.empty();
  };
  const auto one_by_one = [](const std::string& u_dim, const std::string& v_dim, const std::string& shape) {
    return step("a0", "aten.unsqueeze.default", ref("u") + ", " + u_dim) + ", " +
           step("a", "aten.expand.default", ref("a0") + ", " + shape) + ", " +
           step("b0", "aten.unsqueeze.default", ref("v") + ", " + v_dim) + ", " +
           step("b", "aten.expand.default", ref("b0") + ", " + shape);
  };
  const std::string grid = listed(ref("u") + ", " + ref("v"));
  const std::string plain = step("a b", "aten.meshgrid.default", grid);
  const std::string ij = step("a b", "aten.meshgrid.indexing", grid, R"("indexing": "ij")");
  const std::string xy = step("a b", "aten.meshgrid.indexing", grid, R"("indexing": "xy")");
  const std::string rows = one_by_one("1", "0", "[2, 3]"), columns = one_by_one("0", "1", "[3, 2]");
  for (const std::string& one : {plain, ij}) {
    CHECK(proved(one, rows));
    CHECK_FALSE(proved(one, columns));
    CHECK_FALSE(proved(one, xy));
  }
  CHECK(proved(plain, ij));
  CHECK(proved(xy, columns));
  CHECK_FALSE(proved(xy, rows));
  const std::string spread =
      step("a b", "aten.broadcast_tensors.default", listed(ref("m") + ", " + ref("v")));
  const std::string own = step("a", "aten.expand.default", ref("m") + ", [2, 3]") + ", " +
                          step("b", "aten.expand.default", ref("v") + ", [2, 3]");
  CHECK(proved(spread, own));
  CHECK_FALSE(proved(spread, rows));
  const std::string other = step("b a", "aten.broadcast_tensors.default", listed(ref("m") + ", " + ref("v")));
  CHECK_FALSE(proved(spread, other));
}

TEST_CASE("a name that stands for another view is that view", "[modelled]") {
  const std::string inputs = input("x", "[2, 3]");
  const std::string clone = step("y", "aten.clone.default", ref("x")) + ", ";
  const auto proved = [&](const std::string& before, const std::string& after) {
    const Outcome one =
        said("", graph(inputs, clone + before, ref("r")), graph(inputs, clone + after, ref("r")));
    return one.proved;
  };
  const auto neg = [](const std::string& of) { return step("r", "aten.neg.default", ref(of)); };
  const std::string turned = step("w", "aten.t.default", ref("y")) + ", ",
                    in_place = step("w", "aten.t_.default", ref("y")) + ", ";
  CHECK(proved(turned + neg("w"), in_place + neg("w")));
  CHECK(proved(turned + neg("w"), in_place + neg("y")));
  CHECK_FALSE(proved(turned + neg("y"), in_place + neg("y")));
  const auto strided = [](const std::string& op, const std::string& sizes, const std::string& strides,
                          const std::string& offset) {
    return step("w", op, ref("y") + ", " + sizes + ", " + strides + ", " + offset) + ", ";
  };
  CHECK(proved(strided("aten.as_strided.default", "[2, 2]", "[3, 1]", "1") + neg("w"),
               strided("aten.as_strided_.default", "[2, 2]", "[3, 1]", "1") + neg("y")));
  CHECK_FALSE(proved(strided("aten.as_strided.default", "[2, 2]", "[3, 1]", "1") + neg("w"),
                     strided("aten.as_strided_.default", "[2, 2]", "[3, 1]", "0") + neg("y")));
  const std::string set = step("z", "aten.sin.default", ref("x")) + ", " +
                          step("w", "aten.set_.source_Tensor", ref("y") + ", " + ref("z")) + ", ";
  const std::string plain = step("z", "aten.sin.default", ref("x")) + ", ";
  CHECK(proved(plain + neg("z"), set + neg("y")));
  CHECK(proved(plain + neg("z"), set + neg("w")));
  CHECK_FALSE(proved(plain + neg("y"), set + neg("y")));
}

}  // namespace modelled_test
