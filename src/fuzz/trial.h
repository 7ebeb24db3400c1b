// One program given to a pass under test, what the pass made of it, and what the checker says of that.
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

/// How programs go to a pass, or problems to a planner, and come back.
enum class Form : std::uint8_t { case_json, fx_text, plan_case, plan_table };
inline bool is_planning(Form form) { return form == Form::plan_case || form == Form::plan_table; }

/// What is asked: of a pass, `after` is the program, and so is `before`; of a planner, the problem.
Case question_of(const Case& program, Form form);

/// One line, but for FX text and tables, which are a JSON string where one line is asked for.
std::string text_of_question(const Case& question, Form form, bool one_line);

/// What the pass said, beside the harness's own `before`, inputs, symbols, relations and operators.
struct Reading {
  std::optional<Case> value;  // nothing: see kind
  std::string kind,
      why;  // "unreadable"; "changed-question": what else than `after` is another; "skip": not its business
};
Reading read_answer(const Case& question, const std::string& text, Form form);

/// What came of one program. kind: "" where the pass did nothing wrong; else "refuted", "crash", "hang",
/// "silent", "two-answers", "unreadable", "changed-question".
struct Trial {
  Case question;
  std::string kind, why;
  std::optional<Case> value;  // what was checked
  CheckRecord record;         // of it
  bool alarm = false;         // a run contradicts the proof
  bool is_absent = false;     // there is no such command
  bool is_beyond = false;     // unknown, and so is the program beside itself
  bool is_finding() const { return !kind.empty(); }
};

/// The pass, and the checker that judges it.
struct Judge {
  std::function<Answer(const std::string&)> ask;
  std::function<CheckRecord(const Case&, bool& alarm)> check;
  std::function<bool()> go_on;  // false: what is answered from now on says nothing
  Form form = Form::case_json;
  bool one_line = false;
};
Trial try_program(const Case& program, const Judge& judge, bool twice);

/// The cause of a finding as far as the case shows it: what the pass changed, and through what the storage at
/// fault is seen. One fix cures what has one cause, or so it is hoped; the fingerprints beside it are exact.
std::string cause_of(const Trial& trial);

struct Reduced {
  Trial trial;          // still the same kind and cause
  bool by_pass = true;  // false: the pair was made smaller, and the pass no longer makes it
};
/// The smallest program of which the pass makes a fault of the same cause; at most `most` questions.
Reduced reduce_trial(const Trial& first, const Judge& judge, std::size_t most);

}  // namespace noclobber::fuzz
