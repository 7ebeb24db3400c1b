#include "src/run/repeated.h"

#include <utility>

namespace noclobber {

std::pair<Repeated::Turn, std::shared_ptr<Repeated::First>> Repeated::turn(std::uint64_t sequence,
                                                                           Work& work) {
  if (work.kind != Work::Kind::check || work.alike == 0) return {Turn::decide, nullptr};
  const std::lock_guard lock(mutex_);
  std::shared_ptr<First>& first = firsts_[{work.input, work.alike}];
  if (!first) return {Turn::decide, first = std::make_shared<First>()};
  if (first->answer) return {Turn::copy, first};
  if (!first->is_open) return {Turn::decide, nullptr};
  first->waiting.emplace_back(sequence, std::move(work));
  return {Turn::leave, first};
}

std::vector<std::pair<std::uint64_t, Work>> Repeated::settle(First& first, const CheckRecord& record,
                                                             bool contradiction) {
  const std::lock_guard lock(mutex_);
  first.is_open = false;
  if (record.status == Status::proved && record.findings.empty() && record.unknown.empty() && !contradiction)
    first.answer = record;
  return std::exchange(first.waiting, {});
}

}  // namespace noclobber
