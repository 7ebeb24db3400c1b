// Elements and their bytes, where a storage is read at several widths.
#include "src/second/direct_contents.h"

namespace noclobber {

namespace {

constexpr int kMostChoices = 300;  // nesting of choices that are taken apart

std::string bytes_key(char what, const std::vector<FormulaId>& ids, std::int64_t width) {
  std::string out = what + std::to_string(width);
  for (FormulaId id : ids) out += ";" + std::to_string(id);
  return out;
}

}  // namespace

/// The element with these bytes: the element that they were taken from, if they are all of its bytes in
/// order.
FormulaId DirectContents::packed(const std::vector<FormulaId>& bytes) {
  if (bytes.size() == 1) return bytes[0];
  const std::string width = std::to_string(bytes.size());
  const Formula first = f_[bytes[0]];
  bool split = first.op == Formula::Op::call && first.text == "byte" + width;
  bool choices = first.op == Formula::Op::choose;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const Formula& own = f_[bytes[k]];
    split = split && own.op == first.op && own.text == first.text && own.args[0] == first.args[0] &&
            f_.value(own.args[1]) == static_cast<std::int64_t>(k);
    choices = choices && own.op == first.op && own.args[0] == first.args[0];
  }
  if (split) return first.args[0];
  if (!choices || depth_ >= kMostChoices) return f_.call("pack" + width, bytes);
  const std::string key = bytes_key('p', bytes, 0);
  if (const auto at = memo_.find(key); at != memo_.end()) return at->second;
  std::vector<FormulaId> yes, no;
  for (FormulaId b : bytes) {
    yes.push_back(f_[b].args[1]);
    no.push_back(f_[b].args[2]);
  }
  ++depth_;
  const FormulaId a = packed(yes), b = packed(no);
  --depth_;
  return memo_[key] = f_.choose(first.args[0], a, b);
}

/// Byte `byte` of a content of `width` bytes. If the content was put together from bytes, it is one of them.
FormulaId DirectContents::byte_of(FormulaId content, FormulaId byte, std::int64_t width) {
  if (width == 1 || content == Formulas::kBad) return content;
  const Formula whole = f_[content];
  const std::string name = std::to_string(width);
  const bool pack = whole.op == Formula::Op::call && whole.text == "pack" + name;
  if (pack) {
    FormulaId out = whole.args.back();
    for (std::size_t k = whole.args.size() - 1; k-- > 0;)
      out = f_.choose(f_.equal(byte, f_.number(static_cast<std::int64_t>(k))), whole.args[k], out);
    return out;
  }
  if (whole.op != Formula::Op::choose || depth_ >= kMostChoices)
    return f_.call("byte" + name, {content, byte});
  const std::string key = bytes_key('b', {content, byte}, width);
  if (const auto at = memo_.find(key); at != memo_.end()) return at->second;
  ++depth_;
  const FormulaId a = byte_of(whole.args[1], byte, width), b = byte_of(whole.args[2], byte, width);
  --depth_;
  return memo_[key] = f_.choose(whole.args[0], a, b);
}

}  // namespace noclobber
