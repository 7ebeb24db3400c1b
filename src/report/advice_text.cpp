#include "src/report/advice_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/layout.h"
#include "src/report/names.h"
#include "src/report/style.h"

namespace noclobber {
namespace {

constexpr std::size_t kShownBarriers = 8;  // barriers of an input; inputs; NC042 lints

/// The idle barriers of one input, each with the reason to keep it, if any.
std::string idle_text(std::string_view input, const BarrierLint& lint, const Look& look) {
  input = input.substr(0, input.find(kBackward));
  std::string list;
  for (std::size_t k = 0; k < std::min(lint.idle.size(), kShownBarriers); ++k) {
    const FindingPlace& place = lint.idle[k];
    list += (list.empty() ? "" : ", ") + place.name + (place.note.empty() ? "" : " (" + place.note + ")");
  }
  const std::size_t more = lint.idle.size() - std::min(lint.idle.size(), kShownBarriers);
  if (more > 0) list += fmt::format(", {} more", more);
  const std::string text =
      fmt::format("  {}: {} of {}: {}", printable(input), lint.idle.size(), lint.barriers, printable(list));
  return wrapped(text, look.width, 4, 0) + "\n";
}

/// Covers the last graph of each input only, as earlier ones have the same barriers.
std::string barriers_text(const RunSummary& summary, const Look& look) {
  std::uint64_t all = 0, idle = 0, split = 0, needed = 0;
  for (const auto& [input, lint] : summary.barriers) {
    for (const FindingPlace& place : lint.idle) needed += place.note.empty() ? 0 : 1;
    all += lint.barriers;
    idle += lint.idle.size();
    split += lint.split;
  }
  if (idle == 0) return "";
  std::string out = fmt::format("{}: {} of {} barriers order nothing that is not ordered already",
                                styled("lint[NC040]", Role::warning, look.colour), idle, all);
  if (split > 0) out += fmt::format("; they split {} fused region{}", split, split == 1 ? "" : "s");
  if (needed > 0) out += fmt::format("; nvFuser needs {} of them, each before a write", needed);
  out = wrapped(out, look.width, 2, 0) + "\n";
  std::size_t inputs = 0;
  for (const auto& [input, lint] : summary.barriers)
    if (!lint.idle.empty() && inputs++ < kShownBarriers) out += idle_text(input, lint, look);
  if (inputs > kShownBarriers) out += fmt::format("  and {} more inputs\n", inputs - kShownBarriers);
  if (needed < idle)
    out += wrapped(
               fmt::format("  help: leave {} out; what they name is ordered by its uses already, and nothing "
                           "is fused across a barrier",
                           needed == 0 ? "them" : "the others"),
               look.width, 2, 0) +
           "\n";
  return out + "\n";
}

/// The counts of verdicts on every order that the def-use edges allow; "" if none is refuted.
std::string orders_text(const RunSummary& summary, const Look& look) {
  const auto of = [&](const char* claim) {
    const auto found = summary.orders.find(claim);
    return found == summary.orders.end() ? std::uint64_t{0} : found->second;
  };
  const std::uint64_t moved = of("return"), wrong = of("refuted") + moved;
  if (wrong == 0) return "";
  std::string out = fmt::format("{}: right in {} checks, wrong in {} when statements move as names allow",
                                styled("every order", Role::name, look.colour), of("proved"), wrong);
  if (moved > 0) out += fmt::format("; in {} of these only the return may not move", moved);
  return wrapped(out, look.width, 2, 0) + "\n\n";
}

std::string lint_text(std::string_view rule, const std::string& text, const Look& look) {
  const std::string head = styled(fmt::format("lint[{}]", rule), Role::warning, look.colour);
  return wrapped(head + ": " + text, look.width, 2, 0) + "\n";
}

/// Writes after the return that no value and no check of a later pass depends on.
std::string behind_return_text(const RunSummary& summary, const Look& look) {
  std::string out;
  for (const auto& [write, count] : summary.behind_return)
    out += lint_text("NC011",
                     fmt::format("{} stands behind the return in {} check{}, and nobody sees it",
                                 printable(write), count, count == 1 ? "" : "s"),
                     look);
  return out.empty() ? out : out + "\n";
}

/// Instructions of payloads that could be left out. A correct program may have them.
std::string dead_text(const RunSummary& summary, const Look& look) {
  std::string out;
  std::size_t told = 0;
  for (const auto& [step, count] : summary.dead)
    if (told++ < kShownBarriers)
      out += lint_text("NC042", printable(step) + " makes what nobody reads", look);
  if (told > kShownBarriers) out += fmt::format("  and {} more of NC042\n", told - kShownBarriers);
  return out.empty() ? out : out + "\n";
}

/// The safe in-place rewrites of each check, the largest first.
std::string inplace_text(const RunSummary& summary, const Look& look) {
  std::string out;
  for (const auto& [check, lint] : summary.inplace) {
    std::vector<InplaceLint::Rewrite> safe;
    std::ranges::copy_if(lint.rewrites, std::back_inserter(safe),
                         [](const auto& rewrite) { return rewrite.safe == Status::proved; });
    std::ranges::stable_sort(safe, std::greater<>(), &InplaceLint::Rewrite::known);
    std::uint64_t bytes = 0, open = 0;
    for (const auto& rewrite : safe) bytes += rewrite.known, open += rewrite.known == 0;
    const std::string more = open == 0 ? "" : fmt::format(", and {} results of no size that is known", open);
    out += fmt::format("{}: {} of {} steps of {} may run in place, all at once: {} bytes{}\n",
                       styled("lint[NC041]", Role::warning, look.colour), safe.size(), lint.rewrites.size(),
                       printable(check), bytes, more);
    for (const auto& rewrite : safe)
      out += fmt::format("  {} -> {} on {}{}\n", printable(rewrite.at.statement), printable(rewrite.op),
                         printable(rewrite.operand),
                         rewrite.bytes.empty() ? "" : fmt::format(", {} bytes", printable(rewrite.bytes)));
  }
  return out.empty() ? out : out + "\n";
}

}  // namespace

std::string advice_text(const RunSummary& summary, const Look& look) {
  return orders_text(summary, look) + behind_return_text(summary, look) + dead_text(summary, look) +
         barriers_text(summary, look) + inplace_text(summary, look);
}

}  // namespace noclobber
