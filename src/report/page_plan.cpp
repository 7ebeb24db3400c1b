// A memory plan: x is the step, y the offset, a box is a buffer; the overlap of the two at fault is hatched.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "src/report/names.h"
#include "src/report/page_parts.h"

namespace noclobber {

namespace {

constexpr double kLeft = 84, kUp = 12, kPlotWidth = 600, kPlotHeight = 260;

struct Extent {
  double low = 0, high = 1;
  void take(std::int64_t from, std::int64_t to) {
    low = std::min(low, static_cast<double>(from));
    high = std::max(high, static_cast<double>(to));
  }
};

struct PlotScene {
  const Finding& finding;
  Extent time, bytes;
  std::int64_t cut = std::numeric_limits<std::int64_t>::max();  // bytes from this offset on are drawn
  std::int64_t drawn_at = 0;                                    // as if they began at this offset
  std::int64_t shown(std::int64_t byte) const { return byte < cut ? byte : byte - cut + drawn_at; }
  double x(std::int64_t step) const {
    return kLeft + (static_cast<double>(step) - time.low) / (time.high - time.low) * kPlotWidth;
  }
  double y(std::int64_t byte) const {
    return kUp + kPlotHeight -
           (static_cast<double>(shown(byte)) - bytes.low) / (bytes.high - bytes.low) * kPlotHeight;
  }
};

/// The rectangle that the first two boxes share; empty if they are disjoint.
std::optional<PlanPicture::Box> shared(const PlanPicture& plan) {
  if (plan.boxes.size() < 2) return std::nullopt;
  const auto &a = plan.boxes[0], &b = plan.boxes[1];
  PlanPicture::Box out;
  out.begin = std::max(a.begin, b.begin);
  out.end = std::min(a.end, b.end);
  out.offset = std::max(a.offset, b.offset);
  out.size = std::min(a.offset + a.size, b.offset + b.size) - out.offset;
  return out.begin < out.end && out.size > 0 ? std::optional(out) : std::nullopt;
}

bool overlaps(const Finding& finding) { return finding.rule == "NC030" || finding.rule == "NC032"; }

std::string box_text(const PlotScene& scene, const PlanPicture::Box& box, std::string_view role) {
  const double x = scene.x(box.begin), y = scene.y(box.offset + box.size);
  const double width = std::max(scene.x(box.end) - x, role.starts_with("first") ? 10.0 : 2.0);
  const double height = std::max(scene.y(box.offset) - y, 2.0);
  const std::string type = type_in(scene.finding, box.name);
  std::string out = fmt::format(
      "<g class=\"box {}\"><title>{}{}: bytes [{}, {}), steps [{}, {})</title><rect x=\"{:.1f}\" "
      "y=\"{:.1f}\" "
      "width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\"/>",
      role, escaped(box.name), escaped(type.empty() ? "" : " " + type), box.offset, box.offset + box.size,
      box.begin, box.end, x, y, width, height);
  return out + "</g>";
}

/// Names of boxes that do not overlap each other.
class BoxNames {
 public:
  explicit BoxNames(const PlotScene& scene) : scene_(scene) {}
  /// Puts the name into the box if it fits. The first box has its name beside it otherwise. The second box
  /// has its name at its right end, away from the first; beside it if the hatched part reaches that end.
  void add(const PlanPicture::Box& box, bool first, bool second, bool hatched_to_end) {
    const double x = scene_.x(box.begin), y = scene_.y(box.offset + box.size);
    const double width = std::max(scene_.x(box.end) - x, 2.0), height = scene_.y(box.offset) - y;
    const std::string name = printable(box.name);
    const auto room = static_cast<std::size_t>(std::max(0.0, (width - 10) / kWide));
    const bool fits = height >= 15 && room >= 1 && (columns(name) <= room || room >= 5);
    const double beside = std::max(width, 10.0) + x + 6, middle = y + height / 2 + 4;
    if (second && hatched_to_end) return put(name, beside, middle, 40, "");
    if (fits && second) return put(name, x + width - 6, y + 14, room, " end");
    if (fits) return put(name, x + 6, y + 14, room, "");
    if (first) put(name, beside, middle, 40, "");
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr double kWide = 7.3;  // width of a letter in pixels

  void put(const std::string& name, double x, double y, std::size_t room, std::string_view role) {
    const std::string shown = shortened(name, room);
    const double width = static_cast<double>(columns(shown)) * kWide;
    const double left = role.empty() ? x : x - width;
    for (const auto& [l, r, at] : taken_)
      if (left < r && l < left + width && std::abs(at - y) < 12) return;
    taken_.push_back({left, left + width, y});
    text_ +=
        fmt::format("<text class=\"name{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", role, x, y, escaped(shown));
  }

  struct Taken {
    double left, right, at;
  };
  const PlotScene& scene_;
  std::vector<Taken> taken_;
  std::string text_;
};

/// Positions of labels at least `apart` from each other; earlier ones have priority.
class Ticks {
 public:
  explicit Ticks(double apart) : apart_(apart) {}
  bool take(double at) {
    for (const double other : taken_)
      if (std::abs(other - at) < apart_) return false;
    taken_.push_back(at);
    return true;
  }

 private:
  double apart_;
  std::vector<double> taken_;
};

std::string byte_ticks(const PlotScene& scene, const std::optional<PlanPicture::Box>& met) {
  std::string out;
  Ticks ticks(14);
  const auto add = [&](std::int64_t byte, std::string_view role) {
    const double y = scene.y(byte);
    if (y < kUp - 1 || y > kUp + kPlotHeight + 1 || !ticks.take(y)) return;
    out += fmt::format(
        "<line class=\"tick {}\" x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\"/>"
        "<text class=\"byte {}\" x=\"{}\" y=\"{:.1f}\">{}</text>",
        role, kLeft - 5, y, kLeft + (role.empty() ? 0 : kPlotWidth), y, role, kLeft - 9, y + 4, byte);
  };
  if (met) add(met->offset, "clobber"), add(met->offset + met->size, "clobber");
  add(static_cast<std::int64_t>(scene.bytes.low), "");
  if (scene.finding.plan.bytes) add(*scene.finding.plan.bytes, "");
  if (scene.drawn_at > 0) {
    const PlanPicture::Box& first = scene.finding.plan.boxes[0];
    add(first.offset, "clobber"), add(first.offset + first.size, "clobber");
    out += fmt::format("<text class=\"byte\" x=\"{}\" y=\"{:.1f}\">⋮</text>", kLeft - 9,
                       (scene.y(*scene.finding.plan.bytes) + scene.y(first.offset)) / 2 + 4);
  }
  for (const PlanPicture::Box& box : scene.finding.plan.boxes)
    add(box.offset, ""), add(box.offset + box.size, "");
  return out;
}

std::string step_ticks(const PlotScene& scene) {
  std::string out;
  Ticks ticks(30);
  const auto add = [&](std::int64_t step) {
    const double x = scene.x(step);
    if (ticks.take(x))
      out += fmt::format("<text class=\"axis\" x=\"{:.1f}\" y=\"{}\">{}</text>", x, kUp + kPlotHeight + 18,
                         step);
  };
  for (const PlanPicture::Box& box : scene.finding.plan.boxes) add(box.begin), add(box.end);
  return out + fmt::format("<text class=\"axis\" x=\"{}\" y=\"{}\">step</text>", kLeft + kPlotWidth / 2,
                           kUp + kPlotHeight + 36);
}

PlotScene scene_of(const Finding& finding) {
  const PlanPicture& plan = finding.plan;
  PlotScene scene{finding, {}, {}};
  scene.time = {static_cast<double>(plan.boxes[0].begin), static_cast<double>(plan.boxes[0].begin) + 1};
  const PlanPicture::Box& first = plan.boxes[0];
  if (plan.bytes && first.offset > *plan.bytes + *plan.bytes / 2) {  // far outside: the axis has a gap
    scene.cut = first.offset;
    scene.drawn_at = *plan.bytes + std::max<std::int64_t>(*plan.bytes / 4, 1);
  }
  for (const PlanPicture::Box& box : plan.boxes) {
    scene.time.take(box.begin, box.end);
    scene.bytes.take(scene.shown(box.offset), scene.shown(box.offset) + box.size);
  }
  const bool near = plan.bytes && static_cast<double>(*plan.bytes) <= 1.5 * scene.bytes.high;
  if (near) scene.bytes.take(0, *plan.bytes);
  return scene;
}

std::string_view role_of_box(const Finding& finding, std::size_t k) {
  if (k == 0) return overlaps(finding) ? "first" : "first bad";
  return k == 1 && overlaps(finding) ? "second" : "";
}

std::string plan_words(const Finding& finding, const std::optional<PlanPicture::Box>& met) {
  std::string out;
  for (std::size_t k = 0; k < std::min<std::size_t>(finding.plan.boxes.size(), 2); ++k) {
    const PlanPicture::Box& box = finding.plan.boxes[k];
    out += fmt::format("{}{} lies on bytes [{}, {}) during steps [{}, {})", k == 0 ? "" : "; ", box.name,
                       box.offset, box.offset + box.size, box.begin, box.end);
  }
  if (met)
    out += fmt::format(". They share bytes [{}, {}) during steps [{}, {})", met->offset,
                       met->offset + met->size, met->begin, met->end);
  return out + ".";
}

}  // namespace

std::string plan_picture(const Finding& finding, const std::string& anchor) {
  const PlanPicture& plan = finding.plan;
  if (plan.boxes.empty()) return "";
  const PlotScene scene = scene_of(finding);
  const auto met = overlaps(finding) ? shared(plan) : std::nullopt;
  std::string body = fmt::format("<rect class=\"band\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", kLeft,
                                 kUp, kPlotWidth, kPlotHeight);
  for (std::size_t k = plan.boxes.size(); k-- > 0;)
    body += box_text(scene, plan.boxes[k], role_of_box(finding, k));
  if (met)
    body += fmt::format("<rect class=\"lost\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
                        scene.x(met->begin), scene.y(met->offset + met->size),
                        std::max(scene.x(met->end) - scene.x(met->begin), 3.0),
                        std::max(scene.y(met->offset) - scene.y(met->offset + met->size), 3.0));
  BoxNames names(scene);
  for (std::size_t k = 0; k < plan.boxes.size(); ++k)
    names.add(plan.boxes[k], k == 0, k == 1 && met, met && met->end == plan.boxes[k].end);
  body += names.text();
  if (plan.bytes && static_cast<double>(*plan.bytes) <= scene.bytes.high)
    body += fmt::format("<line class=\"limit\" x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\"/>", kLeft,
                        scene.y(*plan.bytes), kLeft + kPlotWidth, scene.y(*plan.bytes));
  const std::string words = escaped(plan_words(finding, met));
  return fmt::format(
      "<figure class=\"scroll\"><svg class=\"plan\" role=\"img\" aria-label=\"Plan of the arena at "
      "fault\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" id=\"{2}-plan\"><title>Memory "
      "plan</title><desc>{3}</desc>{4}{5}{6}</svg><figcaption>{7}Offset in bytes over steps. "
      "{3}</figcaption></figure>\n",
      kLeft + kPlotWidth + 16, kUp + kPlotHeight + 44, anchor, words, body, byte_ticks(scene, met),
      step_ticks(scene), plan.arena.empty() ? "" : "Arena " + escaped(plan.arena) + ". ");
}

}  // namespace noclobber
