// JSON that is plain, read by hand in a quarter of the time that the library takes, which was an eighth of a
// check of a log, and a quarter of one of a case (`make bench`). What is not plain is the library's.
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

/// For the question whether an object says a name twice.
class MemberNames {
 public:
  /// Is there a member of that name? If not, one of it comes next. require: all names so far were asked
  /// about.
  bool met(const OrderedJson::object_t& members, const std::string& name);

 private:
  std::unique_ptr<std::unordered_set<std::string>> all_;  // where there are many
};

/// Before a member is added: hardly any object has two, and few have more than four.
inline void make_room(OrderedJson::object_t& members) {
  if (members.size() == 1) members.reserve(4);
}

/// A JSON object of ASCII without `\u`, whose numbers have at most 18 digits before the point and two in the
/// exponent, nested at most 64 deep, in which no object says a name twice: all of it. Nothing: something
/// else, or no JSON; ask the library.
std::optional<OrderedJson> read_plain_json(std::string_view text);

/// A list that is read item by item. Its text must outlive it.
class PlainList {
 public:
  /// `text`: from its bracket on; the list is plain but for names that an object of it says twice.
  PlainList(std::string_view text, std::size_t count) : count_(count), text_(text) {}
  std::size_t size() const { return count_; }
  /// The next item; false behind the last one, and where one is not plain.
  bool next(OrderedJson& item);
  /// Was it read to its end?
  bool ended() const { return text_.empty(); }

 private:
  std::size_t count_ = 0;  // of all items
  std::string_view text_;  // from the bracket or comma before the next item on; "" behind the last one
};

/// Such an object without the lists `left_out` of objects that are its members, which are empty in it.
struct PlainFrame {
  OrderedJson json;
  std::map<std::string, PlainList, std::less<>> lists;  // by the name of the object
};
std::optional<PlainFrame> read_plain_frame(std::string_view text, std::string_view left_out);

/// Of such an object its members, and those of objects among them, that are scalars or lists of scalars. What
/// lies deeper (stacks of frames, sizes by name), and texts with escapes of more than 1,024 characters
/// (settings, stacks as text), nobody asks a header for; it is checked, and left out.
std::optional<OrderedJson> read_plain_header(std::string_view text);

/// Has such an object a member of that name? Of one of which nothing else is asked.
std::optional<bool> plain_header_has(std::string_view text, std::string_view name);

}  // namespace noclobber
