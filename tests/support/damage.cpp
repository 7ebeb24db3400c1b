#include "tests/support/damage.h"
#include "checker/text/hash.h"
#include "checker/text/read.h"

#include <algorithm>
#include <cctype>
#include <ranges>

#include "checker/kernel/certificate.h"

namespace noclobber::testing {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}
std::string joined(const Lines& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}
bool starts(const std::string& line, std::string_view with) { return line.rfind(with, 0) == 0; }

/// First line of a section, and the first after it.
std::pair<std::size_t, std::size_t> section(const Lines& lines, std::string_view name,
                                            std::string_view next) {
  const auto find = [&](std::string_view what) {
    return static_cast<std::size_t>(
        std::find_if(lines.begin(), lines.end(), [&](const std::string& l) { return starts(l, what); }) -
        lines.begin());
  };
  return {find(name), find(next)};
}

/// Where a number stands alone between blanks, in [from, to).
std::vector<std::pair<std::size_t, std::size_t>> numbers(const std::string& text, std::size_t from,
                                                         std::size_t to) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t at = from; at < to; ++at) {
    const bool begins = (std::isdigit(static_cast<unsigned char>(text[at])) != 0 || text[at] == '-') &&
                        (at == 0 || std::isspace(static_cast<unsigned char>(text[at - 1])) != 0);
    if (!begins) continue;
    std::size_t end = at + 1;
    while (end < to && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end == to || std::isspace(static_cast<unsigned char>(text[end])) != 0) out.emplace_back(at, end - at);
    at = end;
  }
  return out;
}

std::string other_number(const std::string& digits, Random& random) {
  static const char* const kExtremes[] = {
      "0", "1", "-1", "2", "1000", "9223372036854775807", "4294967295", "-9223372036854775808"};
  if (random.chance(15)) return kExtremes[random.below(8)];
  const long long was = digits.size() > 15 ? 7 : std::atoll(digits.c_str());
  return std::to_string(was + (random.chance(50) ? 1 : -1) * random.between(1, 3));
}

std::string number_changed(std::string text, std::size_t from, std::size_t to, Random& random) {
  const auto all = numbers(text, from, to);
  if (all.empty()) return "";
  const auto [at, length] =
      all[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(all.size())))];
  const bool copied = random.chance(40);  // from elsewhere: another key, another goal
  const auto [from_at, from_length] =
      all[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(all.size())))];
  const std::string by =
      copied ? text.substr(from_at, from_length) : other_number(text.substr(at, length), random);
  return text.replace(at, length, by);
}

/// A lemma of the last check gets another number, goes, comes twice, or takes the place of another.
std::string lemma_changed(const std::string& whole, Random& random) {
  const std::string text = body_of(whole);
  Space space;
  const checker::Certificate read = checker::read(space, whole, false);
  const std::size_t to = text.rfind("\nrefutation");
  std::size_t from = to;
  const auto word_before = [&](std::size_t at) { return text.find_last_of(" \n", at - 1); };
  std::vector<std::string> all;
  for (const checker::Lemma& lemma : std::views::reverse(read.checks.back().lemmas)) {
    const std::size_t end = from;
    for (std::size_t words = 6 + lemma.order().size(); words > 0; --words) from = word_before(from);
    all.insert(all.begin(), text.substr(from, end - from));
  }
  if (all.empty()) return "";
  if (random.chance(50)) return number_changed(text, from, to, random);
  const auto one = all.begin() + random.below(std::ssize(all)),
             other = all.begin() + random.below(std::ssize(all));
  if (random.chance(50))
    std::swap(*one, *other);
  else if (random.chance(50))
    all.erase(one);
  else
    all.insert(other, std::string(*one));
  std::string out = text.substr(0, word_before(from)) + " " + std::to_string(all.size());
  for (const std::string& lemma : all) out += lemma;
  return out + text.substr(to);
}

/// A line of a table (numbers, forms) more or less: its count is put right.
void recount(Lines& lines, std::size_t at, int by) {
  for (std::size_t k = at + 1; k-- > 0;)
    for (const char* table : {"numbers ", "views ", "storages ", "steps ", "evidence ", "symbols "})
      if (starts(lines[k], table)) {
        const std::string head(table);
        lines[k] = head + std::to_string(std::atoll(lines[k].c_str() + head.size()) + by);
        return;
      }
}

}  // namespace

const char* name(Wear wear) {
  switch (wear) {
    case Wear::bit:
      return "bit";
    case Wear::line_dropped:
      return "line dropped";
    case Wear::line_swapped:
      return "lines swapped";
    case Wear::line_doubled:
      return "line doubled";
    case Wear::line_of_other:
      return "line of another run";
    case Wear::number:
      return "number";
    case Wear::evidence:
      return "evidence for another key";
    case Wear::lemma:
      return "lemma";
    case Wear::evidence_of_other:
      return "evidence of another run";
    case Wear::trace_of_other:
      return "after of another run";
  }
  return "";
}

std::string body_of(const std::string& text) { return text.substr(0, text.rfind("\nsum ") + 1); }
std::string hashed(const std::string& body) { return body + "sum " + checksum(body) + "\n"; }

std::string worn(const std::string& whole, const std::string& other, Wear wear, Random& random) {
  std::string text = body_of(whole);
  Lines lines = lines_of(text);
  const Lines others = lines_of(body_of(other));
  const auto pick = [&](const Lines& of) {
    return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(of.size())));
  };
  const auto at = static_cast<std::ptrdiff_t>(pick(lines));
  const auto here = static_cast<std::size_t>(at);
  switch (wear) {
    case Wear::bit:
      text[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(text.size())))] ^=
          static_cast<char>(1 << random.below(7));
      return text;
    case Wear::line_dropped:
      if (random.chance(50)) recount(lines, here, -1);
      lines.erase(lines.begin() + at);
      return joined(lines);
    case Wear::line_swapped: {
      const std::size_t second = random.chance(50) ? pick(lines) : (here + 1) % lines.size();
      std::swap(lines[here], lines[second]);
      return joined(lines);
    }
    case Wear::line_doubled:
      if (random.chance(50)) recount(lines, here, 1);
      lines.insert(lines.begin() + at, lines[here]);
      return joined(lines);
    case Wear::line_of_other:
      lines[here] = others[pick(others)];
      return joined(lines);
    case Wear::number:
      return number_changed(text, 0, text.size(), random);
    case Wear::evidence: {
      const std::size_t from = text.find("\nevidence"), to = text.find("\nchecks");
      return number_changed(text, from, to, random);
    }
    case Wear::lemma:
      return lemma_changed(whole, random);
    case Wear::evidence_of_other: {
      const auto [from, to] = section(lines, "evidence", "checks");
      const auto [from2, to2] = section(others, "evidence", "checks");
      Lines out(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(from));
      out.insert(out.end(), others.begin() + static_cast<std::ptrdiff_t>(from2),
                 others.begin() + static_cast<std::ptrdiff_t>(to2));
      out.insert(out.end(), lines.begin() + static_cast<std::ptrdiff_t>(to), lines.end());
      return joined(out);
    }
    case Wear::trace_of_other: {  // all of the other but its evidence and symbols
      const auto [from, to] = section(lines, "evidence", "checks");
      const auto [from2, to2] = section(others, "evidence", "checks");
      Lines out(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(from2));
      out.insert(out.end(), lines.begin() + static_cast<std::ptrdiff_t>(from),
                 lines.begin() + static_cast<std::ptrdiff_t>(to));
      out.insert(out.end(), others.begin() + static_cast<std::ptrdiff_t>(to2), others.end());
      return joined(out);
    }
  }
  return "";
}

}  // namespace noclobber::testing
