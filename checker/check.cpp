// From the text of a certificate to a verdict.
#include "checker/check.h"

#include "checker/kernel/decide.h"
#include "checker/plan/plan.h"
#include "checker/refute/refute.h"
#include "checker/text/read.h"
#include "checker/text/scan.h"

namespace noclobber::checker {

constexpr std::uint64_t kWork = 100'000'000, kWorkPerByte = 100;  // 1 s, and 1 s for each MB

Answer check(std::string_view text, Space& space) try {
  if (text.starts_with(kPlanFormat)) return check_plan(text);
  const std::uint64_t most_work = kWork + kWorkPerByte * text.size();
  if (!space.searches()) space.limit_work(most_work);
  Certificate certificate = read(space, text, false);
  Answer& answer = certificate.answer;
  answer.what = certificate.checks.back().before ? "pair" : "single graph";
  if (certificate.refutation) {
    Space concrete;
    concrete.limit_work(most_work);
    Certificate again = read(concrete, text, true);
    const bool refuted = breaks(concrete, again);
    answer.said = refuted ? Answer::Said::refuted : Answer::Said::not_proved;
    if (!refuted && answer.why.empty()) answer.why = "the witness breaks nothing";
    return std::move(answer);
  }
  decide(space, certificate);
  return std::move(answer);
} catch (const Unreadable& fault) {
  Answer answer;
  answer.said = Answer::Said::unreadable;
  answer.why = fault.what();
  return answer;
} catch (const TooMuchWork&) {
  Answer answer;
  answer.why = "more work than a text of this size may ask for";
  return answer;
}

}  // namespace noclobber::checker
