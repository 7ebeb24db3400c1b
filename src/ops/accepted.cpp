#include "src/ops/accepted.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace noclobber {
namespace {

struct AcceptedForms {
  std::string_view overload;
  std::string_view forms;  // sorted, with a space between them
};

/// Sorted by overload; tools/accepted_types.py makes it.
constexpr AcceptedForms kAccepted[] = {
#include "src/ops/accepted.inc"
};

static_assert(std::ranges::is_sorted(kAccepted, {}, &AcceptedForms::overload));

char letter_of(Dtype type) {
  if (type == Dtype::boolean) return 'b';
  if (type == Dtype::u8) return 'u';
  if (is_complex(type)) return 'c';
  if (is_floating(type)) return bit_width(type) == 16 ? 'h' : bit_width(type) >= 32 ? 'f' : '?';
  return type != Dtype::other && is_signed(type) && bit_width(type) >= 8 ? 'i' : '?';
}

char letter_of(const Arg& arg) {
  switch (arg.kind) {
    case Arg::Kind::none:
      return '-';
    case Arg::Kind::boolean:
      return 't';
    case Arg::Kind::real:
      return 'r';
    case Arg::Kind::sym:
      return arg.sym.is_constant() && arg.sym.constant() >= 0 ? 'n' : 'm';
    case Arg::Kind::dtype:
      return letter_of(arg.dtype);
    default:
      return '?';
  }
}

bool starts(const SchemaSlot& slot, std::string_view text) { return slot.type_text.starts_with(text); }

}  // namespace

std::optional<std::string> call_form(const Schema& schema, const std::vector<Arg>& arguments,
                                     const std::function<Dtype(const Arg&)>& type_of) {
  std::string out, others;
  std::map<char, Dtype> met;
  bool two_types = false, all_known = true;
  const auto tensor = [&](const Arg& arg) {
    const Dtype type = type_of(arg);
    all_known = all_known && type != Dtype::other;
    two_types = two_types || met.try_emplace(letter_of(type), type).first->second != type;
    return letter_of(type);
  };
  for (std::size_t k = 0; k < std::min(arguments.size(), schema.arguments.size()); ++k) {
    const SchemaSlot& slot = schema.arguments[k];
    const Arg& arg = arguments[k];
    if (slot.written && slot.keyword_only) continue;
    if (slot.type == SchemaSlot::Type::tensor_list) {
      std::string letters;
      for (const Arg& item : items_of(arg))
        if (item.kind == Arg::Kind::ref) letters += tensor(item);
      std::ranges::sort(letters);
      letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
      out += arg.kind == Arg::Kind::list ? "[" + letters + "]" : letters.empty() ? "-" : letters;
    } else if (slot.type == SchemaSlot::Type::tensor) {
      out += arg.kind == Arg::Kind::ref ? tensor(arg) : letter_of(arg);
    } else if (slot.type_text == "Scalar" || slot.type_text == "Scalar?" || starts(slot, "ScalarType")) {
      others += letter_of(arg);
    } else if (starts(slot, "str") && arg.kind == Arg::Kind::text) {
      others += "'" + *arg.text + "'";
    }
  }
  if (met.empty() || !all_known) return std::nullopt;
  if (two_types) out += '~';
  return others.empty() ? out : out + ";" + others;
}

bool seen_accepted(std::string_view overload, std::string_view form) {
  const auto row = std::ranges::lower_bound(kAccepted, overload, {}, &AcceptedForms::overload);
  if (row == std::end(kAccepted) || row->overload != overload) return false;
  for (std::string_view rest = row->forms; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(' '));
    if (one == form) return true;
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  return false;
}

}  // namespace noclobber
