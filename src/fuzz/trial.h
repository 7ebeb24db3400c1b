// One program given to a pass under test, the answer of the pass, and the checker's verdict on it.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/fuzz/subject.h"
#include "src/graph/case.h"
#include "src/report/record.h"

namespace noclobber::fuzz {

/// How programs are sent to a pass, or problems to a planner, and how answers come back.
enum class Form : std::uint8_t { case_json, fx_text, plan_case, plan_table };
inline bool is_planning(Form form) { return form == Form::plan_case || form == Form::plan_table; }

/// The question: for a pass, the program as both `before` and `after`; for a planner, the problem.
Case question_of(const Case& program, Form form);

/// The text of a question. With `one_line` it has no newline: FX text and tables become a JSON string.
std::string text_of_question(const Case& question, Form form, bool one_line);

/// The answer of the pass, with the harness's own `before`, inputs, symbols, relations and operators.
struct Reading {
  std::optional<Case> value;  // empty: see kind
  std::string kind,
      why;  // "unreadable", "crash", "skip" (not supported), "changed-question" (more than `after` changed)
};
Reading read_answer(const Case& question, const std::string& text, Form form);

/// The outcome for one program. kind: "" if the pass did nothing wrong; else "refuted", "crash", "hang",
/// "silent", "two-answers", "unreadable", "changed-question".
struct Trial {
  Case question;
  std::string kind, why;
  std::optional<Case> value;  // what was checked
  CheckRecord record;         // of it
  bool alarm = false;         // a run contradicts the proof
  bool is_absent = false;     // the command does not exist
  bool is_beyond = false;     // the pass skipped it, or the program itself is not proved sound
  bool is_finding() const { return !kind.empty(); }
};

/// The pass under test, and the checker that judges it.
struct Judge {
  std::function<Answer(const std::string&)> ask;
  std::function<CheckRecord(const Case&, bool& alarm)> check;
  std::function<bool()> go_on;  // false: later answers are meaningless
  Form form = Form::case_json;
  bool one_line = false;
};
Trial try_program(const Case& program, const Judge& judge, bool twice);

/// The cause of a finding, as far as the case shows it: what the pass changed, and by which kind of name the
/// storage at fault is seen. Findings of one cause are expected to have one fix; the fingerprints beside it
/// are exact.
std::string cause_of(const Trial& trial);

struct Reduced {
  Trial trial;          // of the same kind and cause
  bool by_pass = true;  // false: the pair was reduced, and the pass no longer produces it
};
/// The smallest program found for which the pass makes a fault of the same cause; at most `most` questions.
Reduced reduce_trial(const Trial& first, const Judge& judge, std::size_t most);

}  // namespace noclobber::fuzz
