#include "src/certify/farkas.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <limits>

namespace noclobber {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using Integer = boost::multiprecision::cpp_int;

constexpr int kPivots = 100;

/// Columns: the multipliers of the rows, t, an artificial variable for each equation, and the right side.
/// Each equation matches one coefficient of the target. The last one, of the constant, is: sum of multiplier
/// * constant + t = constant of the target + 1. A solution needs t > 0, since rest = t - 1 > -1.
class Tableau {
 public:
  Tableau(const std::vector<std::vector<std::int64_t>>& rows, const std::vector<std::int64_t>& target)
      : count_(rows.size() + 1), width_(count_ + target.size() + 1) {
    for (std::size_t e = 0; e < target.size(); ++e) {
      const bool constant = e + 1 == target.size();
      std::vector<Rational> line(width_);
      for (std::size_t r = 0; r < rows.size(); ++r) line[r] = rows[r][e];
      line[rows.size()] = constant ? 1 : 0;
      line[width_ - 1] = Rational(target[e]) + (constant ? 1 : 0);
      if (line[width_ - 1] < 0)
        for (Rational& x : line) x = -x;
      line[count_ + e] = 1;
      lines_.push_back(std::move(line));
      basis_.push_back(count_ + e);
    }
  }

  /// The multipliers and the largest t, or any positive t if it is unbounded. Empty if none are found.
  std::optional<std::vector<Rational>> solve() {
    std::vector<Rational> cost(width_);
    for (std::size_t k = count_; k + 1 < width_; ++k) cost[k] = -1;
    if (!improve(cost, width_ - 1) || value(cost) != 0) return std::nullopt;
    std::vector<Rational> wish(width_);
    wish[count_ - 1] = 1;
    if (!improve(wish, count_)) return std::nullopt;
    std::vector<Rational> out(count_);
    for (std::size_t e = 0; e < lines_.size(); ++e) {
      if (basis_[e] < count_) out[basis_[e]] = lines_[e].back();
      if (basis_[e] >= count_ && lines_[e].back() != 0) return std::nullopt;
    }
    if (out.back() <= 0) return std::nullopt;
    return out;
  }

 private:
  Rational value(const std::vector<Rational>& cost) const {
    Rational out = 0;
    for (std::size_t e = 0; e < lines_.size(); ++e) out += cost[basis_[e]] * lines_[e].back();
    return out;
  }
  /// Pivots among the first `columns` until `cost` cannot grow, or grows without bound. False if given up.
  bool improve(const std::vector<Rational>& cost, std::size_t columns) {
    for (int pivots = 0; pivots < kPivots; ++pivots) {
      std::size_t in = columns;
      for (std::size_t k = 0; k < columns && in == columns; ++k) {
        Rational gain = cost[k];
        for (std::size_t e = 0; e < lines_.size(); ++e) gain -= cost[basis_[e]] * lines_[e][k];
        if (gain > 0) in = k;
      }
      if (in == columns) return true;
      std::optional<std::size_t> out;
      for (std::size_t e = 0; e < lines_.size(); ++e) {
        if (lines_[e][in] <= 0) continue;
        if (!out) out = e;
        const Rational a = lines_[e].back() / lines_[e][in], b = lines_[*out].back() / lines_[*out][in];
        if (a < b || (a == b && basis_[e] < basis_[*out])) out = e;
      }
      if (!out) return value(cost) > 0;
      pivot(*out, in);
    }
    return false;
  }
  void pivot(std::size_t row, std::size_t column) {
    const Rational by = lines_[row][column];
    for (Rational& x : lines_[row]) x /= by;
    for (std::size_t e = 0; e < lines_.size(); ++e) {
      const Rational times = lines_[e][column];
      if (e == row || times == 0) continue;
      for (std::size_t k = 0; k < width_; ++k) lines_[e][k] -= times * lines_[row][k];
    }
    basis_[row] = column;
  }

  std::size_t count_, width_;
  std::vector<std::vector<Rational>> lines_;
  std::vector<std::size_t> basis_;
};

std::optional<std::int64_t> fitting(const Integer& value) {
  if (value > std::numeric_limits<std::int64_t>::max() || value < std::numeric_limits<std::int64_t>::min())
    return std::nullopt;
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::optional<Combination> combine(const std::vector<std::vector<std::int64_t>>& rows,
                                   const std::vector<std::int64_t>& target) {
  const auto found = Tableau(rows, target).solve();
  if (!found) return std::nullopt;
  Integer by = 1;
  for (const Rational& x : *found) by = lcm(by, denominator(x));
  Combination out;
  const auto whole = fitting(by);
  const auto rest = fitting(numerator(Rational((found->back() - 1) * by)));
  if (!whole || !rest) return std::nullopt;
  out.by = *whole;
  out.rest = *rest;
  for (std::size_t k = 0; k + 1 < found->size(); ++k) {
    if ((*found)[k] == 0) continue;
    const auto multiplier = fitting(numerator(Rational((*found)[k] * by)));
    if (!multiplier) return std::nullopt;
    out.multipliers.emplace_back(k, *multiplier);
  }
  return out;
}

}  // namespace noclobber
