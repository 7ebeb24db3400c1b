// Pieces of the page. Internal to the page. Everything that comes from records goes through escaped() of
// names.h.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/report/record.h"

namespace noclobber {

/// What a link to the finding ends in: "fp6d0f", "fp6d0f-2".
std::string anchor_of(const Finding& finding);

/// One of the three lines, by the number that text and pictures give it.
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
/// "define", "clobber", "read": the class of what is drawn for it.
std::string_view role_class(Mark::Role role);

/// Which steps a picture of the lanes shows, in order: marks first, then what lies between them, then what is
/// next to them.
std::vector<std::int64_t> lane_columns(const Finding& finding, const std::vector<Mark>& marks,
                                       std::size_t most);

/// A lane per storage at fault, over the steps that touch it; "" without lanes. `anchor` makes ids.
std::string lanes_picture(const Finding& finding, const std::string& anchor);
/// Offset and time of the arena at fault; "" without one.
std::string plan_picture(const Finding& finding, const std::string& anchor);
/// The steps of the slice in order, with a line from each that makes a value to those that use it; "" for
/// none.
std::string slice_picture(const Finding& finding, const std::string& anchor);

/// All of one finding; `also`: other checks with the same cause. Without `pictures` its words alone.
std::string finding_article(const CheckRecord& record, const Finding& finding,
                            const std::vector<std::string>& also, bool pictures, bool open);
/// By fingerprint: where the cause is told.
using Anchors = std::map<std::string, std::string>;
/// Cells of checks in order, a row per input; then a table of them.
std::string checks_section(const std::vector<CheckRecord>& checks, const Anchors& told);

}  // namespace noclobber
