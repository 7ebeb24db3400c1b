// Storage lanes: x is the step, a lane is a storage, a bar is a live range, marks are reads and writes.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/report/names.h"
#include "src/report/page_parts.h"

namespace noclobber {

namespace {

constexpr std::size_t kMostColumns = 26, kMostLanes = 4, kMostNames = 8;
constexpr int kGutter = 172, kTop = 44, kBand = 34, kNameRow = 19, kLaneGap = 16, kWide = 560;

void collect_events(const Lane& lane, std::set<std::int64_t>& out) {
  out.insert(lane.reads.begin(), lane.reads.end());
  out.insert(lane.writes.begin(), lane.writes.end());
  for (const Lane::Shown& shown : lane.values) {
    out.insert(shown.begin);
    out.insert(shown.end);
  }
}

}  // namespace

std::vector<std::int64_t> lane_columns(const Finding& finding, const std::vector<Mark>& marks,
                                       std::size_t most) {
  std::set<std::int64_t> events, chosen;
  for (std::size_t k = 0; k < std::min(finding.lanes.size(), kMostLanes); ++k)
    collect_events(finding.lanes[k], events);
  for (const Mark& mark : marks) chosen.insert(mark.step);
  const std::int64_t low = chosen.empty() ? 0 : *chosen.begin(), high = chosen.empty() ? 0 : *chosen.rbegin();
  std::vector<std::int64_t> rest(events.begin(), events.end());
  const auto far = [&](std::int64_t step) { return step < low ? low - step : step > high ? step - high : 0; };
  std::ranges::stable_sort(rest, {}, far);
  for (const std::int64_t step : rest)
    if (chosen.size() < most) chosen.insert(step);
  return {chosen.begin(), chosen.end()};
}

namespace {

/// What goes wrong with the expected value.
enum class Tale : std::uint8_t {
  stale,      // it is read after it was overwritten
  unwritten,  // the elements that are read were never written
  shared,     // it is returned in a storage that it should not share
  gone,       // the write of it is missing in `after`
  unordered,  // nothing orders the read and the write of its storage
};

Tale tale_of(const Finding& finding) {
  if (finding.rule == "NC002") return Tale::unwritten;
  if (finding.rule == "NC005") return Tale::shared;
  if (finding.rule == "NC006" && finding.before) return Tale::gone;
  return finding.rule == "NC010" ? Tale::unordered : Tale::stale;
}

/// One picture: the steps that have a column, and the positions of the columns.
struct LaneScene {
  const Finding& finding;
  std::vector<Mark> marks;
  std::vector<std::int64_t> steps;  // sorted; each has a column
  Tale tale = Tale::stale;
  std::int64_t leaves = -2;  // shared: the step that is drawn as the return
  int column = 40;

  int x(std::int64_t step) const {
    const auto at = std::ranges::lower_bound(steps, step);
    const auto k = std::min<std::ptrdiff_t>(at - steps.begin(), std::ssize(steps) - 1);
    return kGutter + static_cast<int>(k) * column + column / 2;
  }
  int right() const { return kGutter + static_cast<int>(steps.size()) * column; }
};

std::string step_label(const LaneScene& scene, std::int64_t step) {
  if (step < 0) return "entry";
  if (step == scene.leaves) return "return";
  for (const Mark& mark : scene.marks)
    if (mark.step == step && mark.place->name == "return") return "return";
  return fmt::format("{}", step);
}

/// Step numbers, the marks with their guide lines, and dots where steps are left out.
std::string axis_text(const LaneScene& scene, int bottom) {
  std::string out;
  for (std::size_t k = 0; k < scene.steps.size(); ++k) {
    const std::int64_t step = scene.steps[k];
    const int x = scene.x(step);
    out += fmt::format("<text class=\"axis\" x=\"{}\" y=\"38\">{}</text>", x, step_label(scene, step));
    if (k > 0 && step > scene.steps[k - 1] + 1)
      out += fmt::format("<text class=\"axis\" x=\"{}\" y=\"38\">…</text>", x - scene.column / 2);
  }
  std::map<std::int64_t, int> met;  // marks drawn so far, by step: those of one step stand side by side
  for (const Mark& mark : scene.marks) {
    const int x = scene.x(mark.step), shift = 19 * met[mark.step]++;
    if (shift == 0)
      out += fmt::format("<line class=\"guide {}\" x1=\"{}\" y1=\"44\" x2=\"{}\" y2=\"{}\"/>",
                         role_class(mark.role), x, x, bottom);
    out += fmt::format(
        "<g class=\"badge {}\" data-at=\"{}\"><title>{}</title><circle cx=\"{}\" cy=\"14\" r=\"9\"/>"
        "<text x=\"{}\" y=\"18\">{}</text></g>",
        role_class(mark.role), mark.number, escaped(mark.place->statement + ": " + mark.place->note),
        x + shift, x + shift, mark.number);
  }
  return out;
}

std::string bar(std::string_view kind, int from, int to, int y) {
  return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"14\" rx=\"{}\"/>", kind,
                     from, y, std::max(to - from, 2), kind == "value" ? 3 : 0);
}

/// The expected value: solid until it is overwritten, hatched from there to the stale read.
std::string meant_bar(const LaneScene& scene, int y) {
  const Mark* define = mark_of(scene.marks, Mark::Role::define);
  const Mark* clobber = mark_of(scene.marks, Mark::Role::clobber);
  const Mark* read = mark_of(scene.marks, Mark::Role::read);
  if (define == nullptr || read == nullptr || define->step >= read->step) return "";
  const int begin = scene.x(define->step), end = scene.x(read->step);
  if (scene.tale == Tale::unwritten) return bar("lost", begin, end, y);
  const bool lost = clobber != nullptr && clobber->step >= define->step && clobber->step <= read->step;
  if (!lost) return bar("value", begin, end, y);
  const int until = scene.x(clobber->step);
  if (scene.tale == Tale::unordered) return bar("value", until, end, y);  // what is written is expected
  return bar("value", begin, until, y) + (end > until ? bar("lost", until, end, y) : "");
}

/// From the def of the first name of the storage to the return.
std::string shared_bar(const LaneScene& scene, const Lane& lane, int y) {
  std::int64_t first = scene.leaves;
  for (const Lane::Shown& shown : lane.values) first = std::min(first, shown.begin);
  return first < scene.leaves ? bar("lost", scene.x(first), scene.x(scene.leaves), y) : "";
}

/// The missing write, drawn after the def of the name that `before` writes through.
std::string gone_mark(const LaneScene& scene, const Lane& lane, int y) {
  const std::string& said = scene.finding.before->statement;
  const Lane::Shown* through = nullptr;
  std::size_t first = said.npos;
  for (const Lane::Shown& shown : lane.values)
    for (const char* behind : {",", ")"})
      if (const std::size_t at = said.find("(" + shown.name + behind); at < first)
        first = at, through = &shown;
  if (through == nullptr) return "";
  const int x = scene.x(through->begin) + scene.column / 3;
  return fmt::format(
      "<path class=\"write gone\" d=\"M{} {}l8 -14h-16z\"><title>{}</title></path><text class=\"gone\" "
      "x=\"{}\" "
      "y=\"{}\">gone</text>",
      x, y + 14, escaped(said), x + 11, y + 11);
}

std::string write_mark(int x, int y, std::string_view role) {
  return fmt::format("<path class=\"write {}\" d=\"M{} {}l6 -11h-12z\"><title>written here</title></path>",
                     role, x, y + 6);
}

std::string read_mark(int x, int y, std::string_view role) {
  return fmt::format(
      "<circle class=\"reads {}\" cx=\"{}\" cy=\"{}\" r=\"5\"><title>read here</title></circle>", role, x, y);
}

/// Writes above the bar and reads below it; those of define, clobber and read in their colours.
std::string accesses(const LaneScene& scene, const Lane& lane, bool at_fault, int y) {
  std::string out;
  const Mark* define = mark_of(scene.marks, Mark::Role::define);
  const auto role = [&](std::int64_t step, bool writes) -> std::string_view {
    if (at_fault && !writes && step == scene.leaves) return "clobber";
    for (const Mark& mark : scene.marks)
      if (at_fault && mark.step == step && (mark.role == Mark::Role::read) != writes)
        return role_class(mark.role);
    return "";
  };
  const auto drawn = [&](std::int64_t step) { return std::ranges::binary_search(scene.steps, step); };
  const auto makes_room = [&](std::int64_t step) {  // the allocation, which writes no element
    return at_fault && scene.tale == Tale::unwritten && define != nullptr && define->step == step;
  };
  for (const std::int64_t step : lane.writes)
    if (drawn(step) && !makes_room(step)) out += write_mark(scene.x(step), y + 9, role(step, true));
  for (const std::int64_t step : lane.reads)
    if (drawn(step)) out += read_mark(scene.x(step), y + 26, role(step, false));
  return out;
}

/// An arrow from the clobber to the read; with two heads if nothing orders them.
std::string stale_arrow(const LaneScene& scene, int y) {
  const Mark* clobber = mark_of(scene.marks, Mark::Role::clobber);
  const Mark* read = mark_of(scene.marks, Mark::Role::read);
  if (clobber == nullptr || read == nullptr || clobber->step == read->step) return "";
  const bool either = scene.tale == Tale::unordered;
  if (!either && clobber->step > read->step) return "";
  const int from = scene.x(clobber->step), to = scene.x(read->step), third = (to - from) / 3;
  return fmt::format("<path class=\"stale{}\" d=\"M{} {}C{} {} {} {} {} {}\"{} marker-end=\"url(#tip)\"/>",
                     either ? " either" : "", from, y + 16, from + third, y + 46, to - third, y + 46,
                     from < to ? to - 5 : to + 5, y + 31, either ? " marker-start=\"url(#tip)\"" : "");
}

std::string told(const LaneScene& scene, const Lane& lane, int y) {
  if (scene.tale == Tale::shared) return shared_bar(scene, lane, y + 10);
  if (scene.tale == Tale::gone) return gone_mark(scene, lane, y + 10);
  return meant_bar(scene, y + 10) + stale_arrow(scene, y);
}

bool named_by_marks(const LaneScene& scene, const std::string& name) {
  return std::ranges::any_of(scene.marks, [&](const Mark& mark) {
    return mark.place->name == name || std::ranges::find(mark.place->views, name) != mark.place->views.end();
  });
}

/// At most kMostNames names of the lane, by begin. Names in the view chains of the marks are preferred.
std::vector<const Lane::Shown*> names_of(const LaneScene& scene, const Lane& lane) {
  std::vector<const Lane::Shown*> out;
  for (const Lane::Shown& shown : lane.values) out.push_back(&shown);
  std::ranges::stable_sort(out, std::greater<>(),
                           [&](const auto* shown) { return named_by_marks(scene, shown->name); });
  if (out.size() > kMostNames) out.resize(kMostNames);
  std::ranges::stable_sort(out, {}, &Lane::Shown::begin);
  return out;
}

std::string about_name(const LaneScene& scene, const Lane& lane, const Lane::Shown& shown) {
  std::string out = shown.name;
  if (const std::string type = type_in(scene.finding, shown.name); !type.empty()) out += " " + type;
  if (shown.bytes)
    out += fmt::format(", bytes [{}, {}) of {}", shown.bytes->first, shown.bytes->second, lane.storage);
  return shown.of.empty() ? out : out + ", a view of " + shown.of;
}

std::string name_rows(const LaneScene& scene, const Lane& lane, int& y) {
  std::string out;
  for (const Lane::Shown* shown : names_of(scene, lane)) {
    const int begin = scene.x(shown->begin), end = scene.x(shown->end);
    out += fmt::format(
        "<g class=\"row{}\"><title>{}</title><text class=\"label\" x=\"{}\" y=\"{}\">{}</text>"
        "<rect class=\"life\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"5\" rx=\"2\"/></g>",
        named_by_marks(scene, shown->name) ? " own" : "", escaped(about_name(scene, lane, *shown)),
        kGutter - 10, y + 13, escaped(shortened(printable(shown->name), 22)), begin, y + 7,
        std::max(end - begin, 4));
    y += kNameRow;
  }
  if (lane.values.size() > kMostNames) {
    out += fmt::format("<text class=\"label more\" x=\"{}\" y=\"{}\">and {} more names</text>", kGutter - 10,
                       y + 13, lane.values.size() - kMostNames);
    y += kNameRow;
  }
  return out;
}

std::string lane_text(const LaneScene& scene, const Lane& lane, bool at_fault, int& y) {
  std::string out =
      fmt::format("<rect class=\"band{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>",
                  at_fault ? " fault" : "", kGutter, y, scene.right() - kGutter, kBand);
  out += fmt::format("<text class=\"storage\" x=\"{}\" y=\"{}\">{}</text>", kGutter - 10, y + 15,
                     escaped(shortened(printable(lane.storage), 20)));
  if (lane.bytes)
    out += fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\">{} bytes</text>", kGutter - 10, y + 29,
                       *lane.bytes);
  if (at_fault) out += told(scene, lane, y);
  out += accesses(scene, lane, at_fault, y);
  y += kBand + 6;
  out += name_rows(scene, lane, y);
  y += kLaneGap;
  return out;
}

/// The text alternative of the picture, for screen readers.
std::string lanes_words(const LaneScene& scene) {
  std::string out = "Steps from left to right, a lane for each storage.";
  for (const Mark& mark : scene.marks)
    out += fmt::format(" {}: step {}, {}, {}.", mark.number, step_label(scene, mark.step),
                       mark.place->statement, mark.place->note);
  if (scene.tale == Tale::shared) out += " " + scene.finding.message + ".";
  if (scene.tale == Tale::gone) out += " Gone: " + scene.finding.before->statement + ".";
  return out;
}

/// The meaning of each kind of mark that is drawn.
std::string legend(const LaneScene& scene, std::string_view drawn) {
  std::string out = "Steps from left to right.";
  const auto item = [&](std::string_view found, std::string_view mark, std::string_view means) {
    if (drawn.find(found) != drawn.npos) out += fmt::format(" <b class=\"k-{}</b> {},", mark, means);
  };
  const std::string_view hatched = scene.tale == Tale::unwritten ? "nothing was written"
                                   : scene.tale == Tale::shared  ? "one storage, up to the return"
                                                                 : "after it was overwritten";
  item("class=\"write", "write\">▼", "written");
  item("class=\"reads", "read\">●", "read");
  item("class=\"value\"", "value\">■", "the value that is meant");
  item("class=\"lost\"", "lost\">▨", hatched);
  item("class=\"write gone\"", "lost\">▽", "the write that is gone");
  item("class=\"stale either\"", "lost\">⇠⇢", "nothing orders these two");
  out.back() = ';';
  return out + " thin bars: names of this storage.";
}

/// The last step that reads the storage, which is the return if the storage is returned; -2 without reads.
std::int64_t leaving_step(const Lane& lane) {
  return lane.reads.empty() ? -2 : *std::ranges::max_element(lane.reads);
}

LaneScene scene_of(const Finding& finding, const Lane& at_fault) {
  LaneScene scene{finding, marks_of(finding), {}};
  scene.tale = tale_of(finding);
  if (scene.tale == Tale::shared) scene.leaves = leaving_step(at_fault);
  scene.steps = lane_columns(finding, scene.marks, kMostColumns);
  if (scene.steps.empty()) return scene;
  if (scene.leaves > scene.steps.back()) scene.steps.back() = scene.leaves;
  scene.column = std::clamp(kWide / static_cast<int>(scene.steps.size()), 22, 112);
  return scene;
}

}  // namespace

std::string lanes_picture(const Finding& finding, const std::string& anchor) {
  if (finding.lanes.empty()) return "";
  std::vector<const Lane*> lanes;
  for (const Lane& lane : finding.lanes)
    if (lanes.size() < kMostLanes) lanes.push_back(&lane);
  std::ranges::stable_sort(lanes, {}, [&](const Lane* lane) { return lane->storage != finding.storage; });
  const LaneScene scene = scene_of(finding, *lanes.front());
  if (scene.steps.empty()) return "";
  std::string body;
  int y = kTop + 8;
  for (const Lane* lane : lanes) body += lane_text(scene, *lane, lane == lanes.front(), y);
  const int width = scene.right() + 24, height = y - kLaneGap + 4;
  return fmt::format(
      "<figure class=\"scroll\"><svg class=\"lanes\" role=\"img\" aria-label=\"{}\" width=\"{}\" "
      "height=\"{}\" viewBox=\"0 0 {} {}\" id=\"{}-lanes\"><title>Storage lanes</title><desc>{}</desc>"
      "{}{}</svg><figcaption>{}</figcaption></figure>\n",
      "Storage lanes of the finding", width, height, width, height, anchor, escaped(lanes_words(scene)),
      axis_text(scene, height - 4), body, legend(scene, body));
}

}  // namespace noclobber
