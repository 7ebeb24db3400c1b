// Texts of certificates by hand: as docs/certificate.md has them, whatever they say.
#pragma once
#include <algorithm>
#include <concepts>
#include <string>
#include <tuple>
#include <vector>

#include "checker/check.h"
#include "tests/catch.h"
#include "tests/support/damage.h"

namespace noclobber::testing {

using Words = std::vector<std::string>;

inline std::string joined(const Words& all) {
  std::string out;
  for (const std::string& one : all) out += (out.empty() ? "" : " ") + one;
  return out;
}
inline std::string listed(const Words& all) {
  return std::to_string(all.size()) + (all.empty() ? "" : " " + joined(all));
}
/// An entry a line.
inline std::string lined(const Words& all, const char* before = "\n ") {
  std::string out = std::to_string(all.size());
  for (const std::string& one : all) out += before + one;
  return out;
}
inline std::string quoted(const std::string& text) { return std::to_string(text.size()) + ":" + text; }

/// A number of the table: what it says there, or a value.
struct Num {
  std::string text;
  template <std::integral T>
  Num(T value) : text(value == 0 ? "p 0" : "p 1 " + std::to_string(value) + " 0") {}
  Num(const char* words) : text(words) {}
  Num(std::string words) : text(std::move(words)) {}
};
using Nums = std::vector<Num>;

struct HandStep {
  int kind = 2;
  std::string key;
  Words reads, writes;
  int origin = 0;
  bool elementwise = false;
};
struct HandTrace {
  Words storages, inputs = {}, steps = {}, outputs = {}, edges = {};
  std::string arenas = "0";
  Words placements = {};
};

/// Its parts return their words, and put what stands in tables there.
class HandText {
 public:
  std::string number(const Num& said) { return place(numbers_, said.text); }
  std::string numbers(const Nums& all) {
    Words out;
    for (const Num& one : all) out.push_back(number(one));
    return listed(out);
  }
  /// Factors: to, from, by.
  std::string affine(const Nums& from, const Nums& to, const Nums& start,
                     const std::vector<std::tuple<int, int, Num>>& factors) {
    Words out{"0", numbers(from), numbers(to)}, list;
    for (const Num& one : start) out.push_back(number(one));
    for (const auto& [t, f, by] : factors)
      list.push_back(joined({std::to_string(t), std::to_string(f), number(by)}));
    out.push_back(listed(list));
    return joined(out);
  }
  std::string reshape(const Nums& from, const Nums& to, const Words& groups) {
    return joined({"1", numbers(from), numbers(to), listed(groups)});
  }
  std::string view(int storage, const std::string& type, int lanes, const Nums& shape,
                   const Words& maps = {}) {
    return joined({place(views_, joined({quoted(type), std::to_string(lanes), numbers(shape), listed(maps)})),
                   std::to_string(storage)});
  }
  /// start: 0 given, 1 undefined.
  std::string storage(int start, const Nums& shape, int lanes, const std::string& key,
                      bool compared = false) {
    const std::string form =
        joined({std::to_string(start), numbers(shape), std::to_string(lanes), "1", compared ? "1" : "0"});
    return joined({place(storages_, form), quoted(key)});
  }
  /// All reads precede the first write.
  std::string step(const HandStep& s) {
    const Words row(s.writes.size(), "2"), access(s.reads.size(), listed(row));
    const std::string form =
        joined({std::to_string(s.kind), quoted(s.key), s.elementwise ? "1" : "0",
                std::to_string(s.reads.size()), std::to_string(s.writes.size()), listed(access), "0"});
    Words out{place(steps_, form), std::to_string(s.origin)};
    out.insert(out.end(), s.reads.begin(), s.reads.end());
    out.insert(out.end(), s.writes.begin(), s.writes.end());
    out.push_back("0 0");
    return joined(out);
  }
  std::string move(const std::string& to, const std::string& from, int origin = 0) {
    return step({0, "", {from}, {to}, origin});
  }
  std::string fill(const std::string& scalar, const std::string& to, int origin = 0) {
    return step({1, scalar, {}, {to}, origin, false});
  }
  static std::string input(const std::string& name, const std::string& view) {
    return joined({quoted(name), view});
  }
  static std::string output(const std::string& view) { return "1 " + view + " 0: 0 0 0"; }
  static std::string trace(const HandTrace& t) {
    return joined({lined(t.storages), listed(t.inputs), "0", lined(t.steps), listed(t.outputs), "0 0",
                   t.edges.empty() ? "0" : "1", listed(t.edges), t.arenas, lined(t.placements)});
  }

  Words symbols, claims, lemmas;
  bool sharing_may_grow = true;
  std::string refutation = "0";

  /// `before` "": a single graph.
  std::string text(const std::string& before, const std::string& after) const {
    const std::string check =
        joined({"0:", before.empty() ? "0" : "1 " + before, after, sharing_may_grow ? "0 1 1 0" : "0 0 1 0",
                listed(claims), listed(lemmas)});
    return hashed("noclobber.cert/2\nabout 1:t\ninputs 0\noperators 1:x\nassumptions 0\nsymbols " +
                  lined(symbols) + "\nnumbers " + lined(numbers_, "\n") + "\nfacts 0\nviews " +
                  lined(views_) + "\nstorages " + lined(storages_) + "\nsteps " + lined(steps_) +
                  "\nevidence 0\nchecks 1 " + check + "\nrefutation " + refutation + "\n");
  }

 private:
  static std::string place(Words& table, const std::string& entry) {
    const auto at = std::ranges::find(table, entry);
    const auto out = std::to_string(at - table.begin());
    if (at == table.end()) table.push_back(entry);
    return out;
  }

  Words numbers_, views_, storages_, steps_;
};

inline const std::string kOneOpen = "1 obligations are open";
inline const std::string kNormal = "a number in normal form, not one of those before";
inline const std::string kNothing = "the witness breaks nothing";

/// As nc-check says it: without a search.
inline void says(const std::string& text, checker::Answer::Said said, const std::string& why) {
  Space space;
  const checker::Answer answer = checker::check(text, space);
  INFO(text.substr(0, 2000));
  CHECK(answer.said == said);
  CHECK((said == checker::Answer::Said::unreadable ? answer.why.substr(answer.why.find(':')) : answer.why) ==
        why);
}
inline void proves(const std::string& text) { says(text, checker::Answer::Said::proved, ""); }
inline void refutes(const std::string& text) { says(text, checker::Answer::Said::refuted, ""); }
inline void proves_nothing(const std::string& text, const std::string& why) {
  says(text, checker::Answer::Said::not_proved, why);
}
inline void is_unreadable(const std::string& text, const std::string& wanted) {
  says(text, checker::Answer::Said::unreadable, ": expected " + wanted);
}

}  // namespace noclobber::testing
