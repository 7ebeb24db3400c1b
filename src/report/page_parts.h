// Parts of the page, internal to it. Every text from a record goes through escaped() of names.h.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/report/record.h"

namespace noclobber {

/// The HTML id of a finding: "fp6d0f", "fp6d0f-2".
std::string anchor_of(const Finding& finding);

/// One of the three places define, clobber and read, with its number in texts and pictures.
struct Mark {
  enum class Role : std::uint8_t { define, clobber, read };
  int number = 0;
  Role role = Role::define;
  const FindingPlace* place = nullptr;
  std::int64_t step = -1;  // -1: the contents at entry
};
std::vector<Mark> marks_of(const Finding& finding);
/// The mark of that role; nullptr if there is none.
const Mark* mark_of(const std::vector<Mark>& marks, Mark::Role role);
/// The CSS class of what is drawn for the role: "define", "clobber", "read".
std::string_view role_class(Mark::Role role);

/// The steps that have a column in a picture of the lanes, ascending: all marks, then up to `most` steps in
/// all, events between the marks before others, and nearer ones before farther ones.
std::vector<std::int64_t> lane_columns(const Finding& finding, const std::vector<Mark>& marks,
                                       std::size_t most);

/// A lane per storage over the steps that touch it, the storage at fault first; "" without lanes. `anchor` is
/// the prefix of HTML ids.
std::string lanes_picture(const Finding& finding, const std::string& anchor);
/// The buffers of the arena at fault, offset over time; "" without one.
std::string plan_picture(const Finding& finding, const std::string& anchor);
/// The def-use graph of the slice: its steps in order, with a line from each def to its uses. "" if it has
/// fewer than two rows.
std::string slice_picture(const Finding& finding, const std::string& anchor);

/// One finding. `also`: other checks with the same cause. Without `pictures` it has text alone.
std::string finding_article(const CheckRecord& record, const Finding& finding,
                            const std::vector<std::string>& also, bool pictures, bool open);
/// By fingerprint: the HTML id of the cause.
using Anchors = std::map<std::string, std::string>;
/// A strip per input with a cell for each check, then a table of the checks.
std::string checks_section(const std::vector<CheckRecord>& checks, const Anchors& told);

}  // namespace noclobber
