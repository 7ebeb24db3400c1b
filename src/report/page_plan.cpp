// A memory plan: x is the step, y the offset, a box is a buffer; what two of them share is hatched.
#include <fmt/format.h>

#include <algorithm>

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
  double x(std::int64_t step) const {
    return kLeft + (static_cast<double>(step) - time.low) / (time.high - time.low) * kPlotWidth;
  }
  double y(std::int64_t byte) const {
    return kUp + kPlotHeight -
           (static_cast<double>(byte) - bytes.low) / (bytes.high - bytes.low) * kPlotHeight;
  }
};

/// The rectangle that the first two boxes share; nothing where they do not.
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
  const double width = std::max(scene.x(box.end) - x, 2.0), height = std::max(scene.y(box.offset) - y, 2.0);
  const std::string type = type_in(scene.finding, box.name);
  std::string out = fmt::format(
      "<g class=\"box {}\"><title>{}{}: bytes [{}, {}), steps [{}, {})</title><rect x=\"{:.1f}\" "
      "y=\"{:.1f}\" "
      "width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\"/>",
      role, escaped(box.name), escaped(type.empty() ? "" : " " + type), box.offset, box.offset + box.size,
      box.begin, box.end, x, y, width, height);
  return out + "</g>";
}

/// The name, in the box if it has room; of the second at its right end, where the first does not lie.
std::string box_name(const PlotScene& scene, const PlanPicture::Box& box, bool at_end) {
  const double x = scene.x(box.begin), y = scene.y(box.offset + box.size), width = scene.x(box.end) - x;
  const auto room = static_cast<std::size_t>(std::max(0.0, (width - 10) / 7.3));
  if (scene.y(box.offset) - y < 15 || room < 1 || (columns(printable(box.name)) > room && room < 5))
    return "";
  return fmt::format("<text class=\"name{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", at_end ? " end" : "",
                     at_end ? x + width - 6 : x + 6, y + 14, escaped(shortened(printable(box.name), room)));
}

/// Labels that do not meet, the first ones first.
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
  for (const PlanPicture::Box& box : plan.boxes) {
    scene.time.take(box.begin, box.end);
    scene.bytes.take(box.offset, box.offset + box.size);
  }
  const bool near = plan.bytes && static_cast<double>(*plan.bytes) <= 1.5 * scene.bytes.high;
  if (near) scene.bytes.take(0, *plan.bytes);
  return scene;
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
    body += box_text(scene, plan.boxes[k], k == 0 ? "first" : k == 1 && overlaps(finding) ? "second" : "");
  if (met)
    body += fmt::format("<rect class=\"lost\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
                        scene.x(met->begin), scene.y(met->offset + met->size),
                        std::max(scene.x(met->end) - scene.x(met->begin), 3.0),
                        std::max(scene.y(met->offset) - scene.y(met->offset + met->size), 3.0));
  for (std::size_t k = plan.boxes.size(); k-- > 0;)
    body += box_name(scene, plan.boxes[k], k == 1 && met.has_value());
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
