#include "src/prover/certify.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/prover/certificate_text.h"
#include "src/prover/difference.h"
#include "src/prover/nonnegative.h"

namespace noclobber {

namespace {
constexpr std::size_t kDropped = 64;  // derivations that are tried to be left out
constexpr std::size_t kPairs = 32;    // of so many, each two are tried, too
constexpr int kRounds = 3;  // a later derivation may answer an earlier question: then others are asked

/// Is the text proved by what stands in it?
bool stands(const std::string& text) {
  Space space;
  std::string fault;
  const auto again = read_certificate(space, text, false, fault);
  return again && judge(space, *again).verdict == Judgement::Verdict::proved;
}
/// The text with the evidence that its replay in `space` uses, and no other: a space that searches adds what
/// is found, and what a later line makes needless goes; `keeps_numbers`: but for its numbers.
std::string replayed(Space space, const std::string& text, bool keeps_numbers = false) {
  std::string fault;
  auto content = read_certificate(space, text, false, fault);
  if (!content) return text;
  judge(space, *content);
  const std::vector<Derivation> had = std::exchange(content->evidence, {});
  for (std::size_t k : space.used()) content->evidence.push_back(space.derivations()[k]);
  return certificate_text(space, *content, keeps_numbers ? had : std::vector<Derivation>());
}

/// Leaves out what was claimed, though a rule shows it, or though only a rule could. In a space of its own:
/// what is found there for claims that stay is no evidence.
std::string without_needless_claims(const std::string& text) {
  Space space = searching_space();
  std::string fault;
  auto content = read_certificate(space, text, false, fault);
  std::size_t dropped = 0;
  for (std::size_t k = 0; content && k < content->checks.size(); ++k) {
    Check& check = content->checks[k];
    if (check.by_solver.empty()) continue;
    Terms terms(space);
    Rules rules(space, terms, check.before ? &*check.before : nullptr, check.after, check.boundary);
    dropped += std::erase_if(check.by_solver,
                             [&](const Obligation& o) { return !is_equality(o.kind) || rules.shown(o); });
  }
  return dropped > 0 ? certificate_text(space, *content) : text;
}

/// Completes `text` with evidence for what it claims, as far as there is some. Is it proved by that?
bool settled(std::string& text) {
  for (int round = 0; round < kRounds; ++round) {
    if (stands(text)) return true;
    text = replayed(searching_space(), text);
    if (stands(text)) return true;
    text = replayed(Space(), text);
  }
  // A rule may find its way in one order of the numbers, and not in another.
  std::string kept = replayed(Space(), replayed(searching_space(), text), true);
  const bool proved = stands(kept);
  if (proved) text = std::move(kept);
  return proved;
}

/// The text without one derivation or without two, if that is proved.
std::optional<std::string> with_less(const Space& space, const Certificate& whole) {
  const std::size_t n = whole.evidence.size();
  const auto stands_without = [&](std::size_t a, std::size_t b) -> std::optional<std::string> {
    Certificate less = whole;
    less.evidence.erase(less.evidence.begin() + static_cast<std::ptrdiff_t>(b));
    if (a < b) less.evidence.erase(less.evidence.begin() + static_cast<std::ptrdiff_t>(a));
    std::string shorter = certificate_text(space, less);
    return stands(shorter) ? std::optional(std::move(shorter)) : std::nullopt;
  };
  for (std::size_t k = 0; k < std::min(n, kDropped); ++k)
    if (auto shorter = stands_without(k, k)) return shorter;
  for (std::size_t b = 1; b < n && n <= kPairs; ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (auto shorter = stands_without(a, b)) return shorter;
  return std::nullopt;
}

/// Evidence from the start, by a search that is told none; what it found for one question may lead the rules
/// another way at an earlier one, so that less evidence is more. Nothing where that is of no use.
std::optional<std::string> searched_anew(const Space& space, Certificate content) {
  content.evidence.clear();
  std::string found = replayed(searching_space(), lean_certificate_text(space, content));
  if (stands(found)) return found;
  Space again;
  std::string fault;
  const auto whole = read_certificate(again, found, false, fault);
  return whole ? with_less(again, *whole) : std::nullopt;
}
}  // namespace

std::string certified(const Space& space, Certificate content) {
  const bool claimed =
      std::ranges::any_of(content.checks, [](const Check& check) { return !check.by_solver.empty(); });
  for (std::size_t k : space.used()) content.evidence.push_back(space.derivations()[k]);
  std::string text = lean_certificate_text(space, content);
  if (claimed) text = without_needless_claims(text);
  if (settled(text)) return text;
  return searched_anew(space, std::move(content)).value_or(text);
}

std::string refuted(const Space& space, Certificate content, const std::vector<std::uint32_t>& order) {
  content.refutation = find_difference(certificate_text(space, content), order);
  if (!content.refutation)  // else the Traces, which may leave out what a run showed, could look proved
    content.checks.back().after.unknown.emplace_back("not-replayed", "what a run shows");
  return certificate_text(space, content);
}

}  // namespace noclobber
