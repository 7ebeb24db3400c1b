// Storage lanes for a terminal: a lane per storage, a column per step that touches it.
#include "src/report/lanes_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/report/layout.h"
#include "src/report/names.h"
#include "src/report/page_parts.h"

namespace noclobber {

namespace {

constexpr std::size_t kLaneLabel = 22, kStepsDrawn = 20, kNamesDrawn = 6, kLanesDrawn = 4, kBoxesDrawn = 12;

/// The characters of the drawing, each one column wide.
struct Glyphs {
  std::string_view write, read, both, whole, lost, empty, life, begin, end, more;
};

Glyphs glyphs_of(const Look& look) {
  if (look.unicode) return {"▼", "●", "◆", "━", "▒", "·", "─", "├", "┤", "…"};
  return {"w", "r", "x", "=", "#", ".", "-", "|", "|", "~"};
}

/// A line of cells, each one column wide and with a role.
class Cells {
 public:
  Cells(std::size_t count, std::string_view empty) : cells_(count, {empty, Role::dim}) {}
  void put(std::size_t at, std::string_view glyph, Role role) {
    if (at < cells_.size()) cells_[at] = {glyph, role};
  }
  void fill(std::size_t from, std::size_t to, std::string_view glyph, Role role) {
    for (std::size_t k = from; k <= to && k < cells_.size(); ++k) cells_[k] = {glyph, role};
  }
  std::string text(bool colour) const {
    std::string out;
    for (std::size_t k = 0; k < cells_.size();) {
      std::string run;
      std::size_t end = k;
      for (; end < cells_.size() && cells_[end].second == cells_[k].second; ++end) run += cells_[end].first;
      out += styled(run, cells_[k].second, colour);
      k = end;
    }
    return out;
  }

 private:
  std::vector<std::pair<std::string_view, Role>> cells_;
};

std::string labelled(std::string_view label, const std::string& line, std::size_t indent) {
  const std::string shown = shortened(printable(label), kLaneLabel - indent - 1);
  const std::size_t taken = indent + columns(shown);
  return "   " + std::string(indent, ' ') + shown +
         std::string(kLaneLabel - std::min(taken, kLaneLabel), ' ') + line + "\n";
}

struct LaneDrawing {
  const Finding& finding;
  const Look& look;
  Glyphs glyphs;
  std::vector<Mark> marks;
  std::vector<std::int64_t> steps;
  std::size_t column = 6;

  std::size_t width() const { return steps.size() * column; }
  std::size_t at(std::int64_t step) const {
    const auto found = std::ranges::lower_bound(steps, step);
    const auto k = std::min<std::ptrdiff_t>(found - steps.begin(), std::ssize(steps) - 1);
    return static_cast<std::size_t>(k) * column + column / 2;
  }
};

/// Centres a text at `middle`, or moves it right behind the previous text. Omits it if there is no room.
void place_text(std::string& line, std::size_t middle, const std::string& text) {
  const std::size_t half = text.size() / 2;
  const std::size_t begin = std::max(middle > half ? middle - half : 0, line.empty() ? 0 : line.size() + 1);
  if (begin > middle + 1) return;
  line += std::string(begin - line.size(), ' ') + text;
}

std::string step_lines(const LaneDrawing& drawing) {
  std::string numbers, marks;
  for (const std::int64_t step : drawing.steps) {
    std::string label = step < 0 ? "in" : std::to_string(step);
    for (const Mark& mark : drawing.marks)
      if (mark.step == step && mark.place->name == "return") label = "ret";
    place_text(numbers, drawing.at(step), label);
    std::string here;
    for (const Mark& mark : drawing.marks)
      if (mark.step == step) here += std::to_string(mark.number);
    if (!here.empty()) place_text(marks, drawing.at(step), here);
  }
  return labelled("step", numbers, 0) + labelled("", styled(marks, Role::name, drawing.look.colour), 0);
}

/// Draws the range in which the expected value is live, and the part in which it is overwritten.
void draw_value(const LaneDrawing& drawing, Cells& cells) {
  const Mark* define = mark_of(drawing.marks, Mark::Role::define);
  const Mark* clobber = mark_of(drawing.marks, Mark::Role::clobber);
  const Mark* read = mark_of(drawing.marks, Mark::Role::read);
  if (define == nullptr || read == nullptr || define->step >= read->step) return;
  const bool never = drawing.finding.rule == "NC002";  // the value is never written
  cells.fill(drawing.at(define->step), drawing.at(read->step),
             never ? drawing.glyphs.lost : drawing.glyphs.whole, never ? Role::error : Role::good);
  if (clobber != nullptr && clobber->step >= define->step && clobber->step <= read->step)
    cells.fill(drawing.at(clobber->step), drawing.at(read->step), drawing.glyphs.lost, Role::error);
}

std::string lane_lines(const LaneDrawing& drawing, const Lane& lane, bool at_fault) {
  Cells cells(drawing.width(), drawing.glyphs.empty);
  if (at_fault) draw_value(drawing, cells);
  const auto drawn = [&](std::int64_t step) { return std::ranges::binary_search(drawing.steps, step); };
  const auto writes = [&](std::int64_t step) {
    return std::ranges::find(lane.writes, step) != lane.writes.end();
  };
  const Mark* clobber = mark_of(drawing.marks, Mark::Role::clobber);
  for (const std::int64_t step : lane.reads)
    if (drawn(step))
      cells.put(drawing.at(step), writes(step) ? drawing.glyphs.both : drawing.glyphs.read, Role::note);
  for (const std::int64_t step : lane.writes) {
    const bool reads = std::ranges::find(lane.reads, step) != lane.reads.end();
    const bool fault = at_fault && clobber != nullptr && clobber->step == step;
    if (drawn(step))
      cells.put(drawing.at(step), reads ? drawing.glyphs.both : drawing.glyphs.write,
                fault ? Role::error : Role::name);
  }
  const std::string bytes = lane.bytes ? fmt::format(" {} B", *lane.bytes) : "";
  std::string out = labelled(lane.storage + bytes, cells.text(drawing.look.colour), 0);
  for (std::size_t k = 0; k < std::min(lane.values.size(), kNamesDrawn); ++k) {
    const Lane::Shown& shown = lane.values[k];
    Cells life(drawing.width(), " ");
    const std::size_t from = drawing.at(shown.begin), to = drawing.at(shown.end);
    life.fill(from, to, drawing.glyphs.life, Role::plain);
    life.put(from, drawing.glyphs.begin, Role::plain);
    if (to > from) life.put(to, drawing.glyphs.end, Role::plain);
    out += labelled(shown.name, life.text(drawing.look.colour), 2);
  }
  if (lane.values.size() > kNamesDrawn)
    out += labelled(fmt::format("{} more", lane.values.size() - kNamesDrawn), "", 2);
  return out;
}

/// A row per buffer with its bytes and live range. For NC030 the time that the first two share is hatched.
std::string plan_lines(const Finding& finding, const Look& look) {
  const PlanPicture& plan = finding.plan;
  const Glyphs glyphs = glyphs_of(look);
  std::int64_t low = plan.boxes[0].begin, high = plan.boxes[0].end;
  for (const PlanPicture::Box& box : plan.boxes)
    low = std::min(low, box.begin), high = std::max(high, box.end);
  const std::size_t room =
      std::clamp<std::size_t>(look.width - std::min(look.width, 3 + 2 * kLaneLabel), 16, 64);
  const double scale = static_cast<double>(room) / static_cast<double>(std::max<std::int64_t>(high - low, 1));
  const auto at = [&](std::int64_t step) {
    return std::min(static_cast<std::size_t>(std::lround(static_cast<double>(step - low) * scale)), room);
  };
  const auto& a = plan.boxes[0];
  const auto& b = plan.boxes[plan.boxes.size() > 1 ? 1 : 0];
  const bool meet =
      plan.boxes.size() > 1 && finding.rule == "NC030" && std::max(a.begin, b.begin) < std::min(a.end, b.end);
  std::string out;
  for (std::size_t k = 0; k < std::min(plan.boxes.size(), kBoxesDrawn); ++k) {
    const PlanPicture::Box& box = plan.boxes[k];
    Cells cells(room, glyphs.empty);
    if (box.begin < box.end)
      cells.fill(at(box.begin), std::max(at(box.end), at(box.begin) + 1) - 1, glyphs.whole,
                 k < 2 ? Role::name : Role::dim);
    if (meet && k < 2)
      cells.fill(at(std::max(a.begin, b.begin)), std::max<std::size_t>(at(std::min(a.end, b.end)), 1) - 1,
                 glyphs.lost, Role::error);
    const std::string bytes = fmt::format("[{}, {})", box.offset, box.offset + box.size);
    out += labelled(box.name, labelled(bytes, cells.text(look.colour), 0).substr(3), 0);
  }
  return labelled("buffer", labelled("bytes", fmt::format("steps {} to {}", low, high), 0).substr(3), 0) +
         out;
}

}  // namespace

std::string lanes_text(const Finding& finding, const Look& look) {
  if (!finding.plan.boxes.empty()) return plan_lines(finding, look);
  if (finding.lanes.empty()) return "";
  LaneDrawing drawing{finding, look, glyphs_of(look), marks_of(finding), {}};
  const std::size_t room = look.width > kLaneLabel + 3 + 24 ? look.width - kLaneLabel - 3 : 24;
  drawing.steps = lane_columns(finding, drawing.marks, std::min(kStepsDrawn, room / 4));
  if (drawing.steps.empty()) return "";
  drawing.column = std::clamp<std::size_t>(room / drawing.steps.size(), 4, 9);
  std::vector<const Lane*> lanes;
  for (const Lane& lane : finding.lanes)
    if (lanes.size() < kLanesDrawn) lanes.push_back(&lane);
  std::ranges::stable_sort(lanes, {}, [&](const Lane* lane) { return lane->storage != finding.storage; });
  std::string out = step_lines(drawing);
  for (const Lane* lane : lanes) out += lane_lines(drawing, *lane, lane == lanes.front());
  return out;
}

}  // namespace noclobber
