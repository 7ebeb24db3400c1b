// A hand-written parser for plain JSON. It takes a quarter of the time of the library, which was an eighth of
// the check of a log and a quarter of the check of a case (`make bench`). All other JSON is left to the
// library.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "src/text/json.h"

namespace noclobber {

/// Finds duplicate names of members in one object.
class MemberNames {
 public:
  /// True if there is a member of that name. If not, the caller adds one next. require: called for every
  /// member so far.
  bool met(const OrderedJson::object_t& members, const std::string& name);

 private:
  std::unique_ptr<std::unordered_set<std::string>> all_;  // only if there are many members
};

/// To be called before a member is added: hardly any object has two members, and few have more than four.
inline void make_room(OrderedJson::object_t& members) {
  if (members.size() == 1) members.reserve(4);
}

/// Reads a whole text that is a plain JSON object: ASCII without `\u`, numbers of at most 18 digits before
/// the point and two in the exponent, nested at most 64 deep, no duplicate names in an object. Empty for any
/// other text, be it JSON or not: the library decides.
std::optional<OrderedJson> read_plain_json(std::string_view text);

/// A list that is read item by item. Its text must outlive it.
class PlainList {
 public:
  /// `text`: the list from its opening bracket on. It is plain, but its objects may have duplicate names.
  PlainList(std::string_view text, std::size_t count) : count_(count), text_(text) {}
  std::size_t size() const { return count_; }
  /// Reads the next item. False after the last one, or if the item is not plain.
  bool next(OrderedJson& item);
  /// True if the list was read to its end.
  bool ended() const { return text_.empty(); }

 private:
  std::size_t count_ = 0;  // of all items
  std::string_view text_;  // from the bracket or comma before the next item on; "" after the last
};

/// A plain object. Lists named `left_out` in objects that are its members are empty in `json` and kept in
/// `lists`.
struct PlainFrame {
  OrderedJson json;
  std::map<std::string, PlainList, std::less<>> lists;  // by the name of the member that has it
};
std::optional<PlainFrame> read_plain_frame(std::string_view text, std::string_view left_out);

/// The members of a plain object, and of objects that are its members, that are scalars or lists of scalars.
/// Deeper members (stacks of frames, sizes by name) and texts with escapes of more than 1,024 characters
/// (settings, stacks as text) are not used of a header: they are checked for syntax and left out.
std::optional<OrderedJson> read_plain_header(std::string_view text);

/// True if a plain object has a member of that name; empty if it is not plain. Reads nothing else of it.
std::optional<bool> plain_header_has(std::string_view text, std::string_view name);

}  // namespace noclobber
