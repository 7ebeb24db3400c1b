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

/// One picture: which steps have a column, and where it is.
struct LaneScene {
  const Finding& finding;
  std::vector<Mark> marks;
  std::vector<std::int64_t> steps;  // sorted; each has a column
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
  for (const Mark& mark : scene.marks)
    if (mark.step == step && mark.place->name == "return") return "return";
  return fmt::format("{}", step);
}

/// Numbers of steps, the marks with their guides, and dots where steps are left out.
std::string axis_text(const LaneScene& scene, int bottom) {
  std::string out;
  for (std::size_t k = 0; k < scene.steps.size(); ++k) {
    const std::int64_t step = scene.steps[k];
    const int x = scene.x(step);
    out += fmt::format("<text class=\"axis\" x=\"{}\" y=\"38\">{}</text>", x, step_label(scene, step));
    if (k > 0 && step > scene.steps[k - 1] + 1)
      out += fmt::format("<text class=\"axis\" x=\"{}\" y=\"38\">…</text>", x - scene.column / 2);
  }
  std::map<std::int64_t, int> met;  // marks of one step stand beside each other
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

/// The value that is meant: whole until it is overwritten, hatched from there to the read that finds it gone.
std::string meant_bar(const LaneScene& scene, int y) {
  const Mark* define = mark_of(scene.marks, Mark::Role::define);
  const Mark* clobber = mark_of(scene.marks, Mark::Role::clobber);
  const Mark* read = mark_of(scene.marks, Mark::Role::read);
  if (define == nullptr || read == nullptr || define->step >= read->step) return "";
  const bool lost = clobber != nullptr && clobber->step >= define->step && clobber->step <= read->step;
  const int begin = scene.x(define->step), end = scene.x(read->step);
  const int until = lost ? scene.x(clobber->step) : end;
  std::string out =
      fmt::format("<rect class=\"value\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"14\" rx=\"3\"/>", begin, y,
                  std::max(until - begin, 2));
  if (lost && end > until)
    out += fmt::format("<rect class=\"lost\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"14\"/>", until, y,
                       end - until);
  return out;
}

std::string write_mark(int x, int y, std::string_view role) {
  return fmt::format("<path class=\"write {}\" d=\"M{} {}l6 -11h-12z\"><title>written here</title></path>",
                     role, x, y + 6);
}

std::string read_mark(int x, int y, std::string_view role) {
  return fmt::format(
      "<circle class=\"reads {}\" cx=\"{}\" cy=\"{}\" r=\"5\"><title>read here</title></circle>", role, x, y);
}

/// Writes above, reads below the bar; those of the three lines in their colours.
std::string accesses(const LaneScene& scene, const Lane& lane, bool at_fault, int y) {
  std::string out;
  const auto role = [&](std::int64_t step, bool writes) -> std::string_view {
    for (const Mark& mark : scene.marks)
      if (at_fault && mark.step == step && (mark.role == Mark::Role::read) != writes)
        return role_class(mark.role);
    return "";
  };
  const auto drawn = [&](std::int64_t step) { return std::ranges::binary_search(scene.steps, step); };
  for (const std::int64_t step : lane.writes)
    if (drawn(step)) out += write_mark(scene.x(step), y + 9, role(step, true));
  for (const std::int64_t step : lane.reads)
    if (drawn(step)) out += read_mark(scene.x(step), y + 26, role(step, false));
  return out;
}

/// From what overwrites to what reads.
std::string stale_arrow(const LaneScene& scene, int y) {
  const Mark* clobber = mark_of(scene.marks, Mark::Role::clobber);
  const Mark* read = mark_of(scene.marks, Mark::Role::read);
  if (clobber == nullptr || read == nullptr || clobber->step >= read->step) return "";
  const int from = scene.x(clobber->step), to = scene.x(read->step);
  return fmt::format("<path class=\"stale\" d=\"M{} {}C{} {} {} {} {} {}\" marker-end=\"url(#tip)\"/>", from,
                     y + 16, from + (to - from) / 3, y + 46, to - (to - from) / 3, y + 46, to - 5, y + 31);
}

bool named_by_marks(const LaneScene& scene, const std::string& name) {
  return std::ranges::any_of(scene.marks, [&](const Mark& mark) {
    return mark.place->name == name || std::ranges::find(mark.place->views, name) != mark.place->views.end();
  });
}

/// Names that the three lines go through first, then the others, as the lane has them.
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
  if (at_fault) out += meant_bar(scene, y + 10) + stale_arrow(scene, y);
  out += accesses(scene, lane, at_fault, y);
  y += kBand + 6;
  out += name_rows(scene, lane, y);
  y += kLaneGap;
  return out;
}

/// What the picture shows, for those who do not see it.
std::string lanes_words(const LaneScene& scene) {
  std::string out = "Steps from left to right, a lane for each storage.";
  for (const Mark& mark : scene.marks)
    out += fmt::format(" {}: step {}, {}, {}.", mark.number, step_label(scene, mark.step),
                       mark.place->statement, mark.place->note);
  return out;
}

}  // namespace

std::string lanes_picture(const Finding& finding, const std::string& anchor) {
  if (finding.lanes.empty()) return "";
  LaneScene scene{finding, marks_of(finding), {}};
  scene.steps = lane_columns(finding, scene.marks, kMostColumns);
  if (scene.steps.empty()) return "";
  scene.column = std::clamp(kWide / static_cast<int>(scene.steps.size()), 22, 112);
  std::vector<const Lane*> lanes;
  for (const Lane& lane : finding.lanes)
    if (lanes.size() < kMostLanes) lanes.push_back(&lane);
  std::ranges::stable_sort(lanes, {}, [&](const Lane* lane) { return lane->storage != finding.storage; });
  std::string body;
  int y = kTop + 8;
  for (const Lane* lane : lanes) body += lane_text(scene, *lane, lane == lanes.front(), y);
  const int width = scene.right() + 24, height = y - kLaneGap + 4;
  return fmt::format(
      "<figure class=\"scroll\"><svg class=\"lanes\" role=\"img\" aria-label=\"{}\" width=\"{}\" "
      "height=\"{}\" viewBox=\"0 0 {} {}\" id=\"{}-lanes\"><title>Storage lanes</title><desc>{}</desc>"
      "{}{}</svg><figcaption>Steps from left to right. <b class=\"k-write\">▼</b> written, "
      "<b class=\"k-read\">●</b> read, <b class=\"k-value\">■</b> the value that is meant, "
      "<b class=\"k-lost\">▨</b> after it was overwritten; thin bars: names of this "
      "storage.</figcaption></figure>\n",
      "Storage lanes of the finding", width, height, width, height, anchor, escaped(lanes_words(scene)),
      axis_text(scene, height - 4), body);
}

}  // namespace noclobber
