// FlatBuffers and programs of ExecuTorch from nothing: tables, lists and texts, each behind what names it.
#pragma once
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace noclobber {

/// Writes itself at the end of `out` and returns where it begins.
using FlatPart = std::function<std::size_t(std::string& out)>;

/// Little endian, as the machines this is built for.
template <class T>
std::string flat_bytes(T value) {
  std::string out(sizeof(T), '\0');
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

inline void flat_offset(std::string& out, std::size_t at, std::size_t target) {
  out.replace(at, 4, flat_bytes(static_cast<std::uint32_t>(target - at)));
}

template <class T>
FlatPart flat_list(std::vector<T> items) {
  return [items](std::string& out) {
    const std::size_t at = out.size();
    out += flat_bytes(static_cast<std::uint32_t>(items.size()));
    for (const T& item : items) out += flat_bytes(item);
    return at;
  };
}

inline FlatPart flat_text(const std::string& text) {
  return flat_list(std::vector<char>(text.begin(), text.end()));
}

inline FlatPart flat_parts(std::vector<FlatPart> parts) {
  return [parts](std::string& out) {
    const std::size_t at = out.size();
    out += flat_bytes(static_cast<std::uint32_t>(parts.size())) + std::string(4 * parts.size(), '\0');
    for (std::size_t k = 0; k < parts.size(); ++k) flat_offset(out, at + 4 + 4 * k, parts[k](out));
    return at;
  };
}

/// A field of a table: a scalar's bytes, or a part.
struct FlatField {
  unsigned number = 0;
  std::string bytes;
  FlatPart part;

  template <class T>
  static FlatField of(unsigned number, T value) {
    return {number, flat_bytes(value), {}};
  }
  static FlatField of(unsigned number, FlatPart part) {
    return {number, std::string(4, '\0'), std::move(part)};
  }
};

/// Fields in the order of their numbers.
inline FlatPart flat_table(std::vector<FlatField> fields) {
  return [fields](std::string& out) {
    std::vector<std::uint16_t> layout(fields.empty() ? 2 : fields.back().number + 3);
    std::uint16_t size = 4;
    for (const FlatField& field : fields) {
      layout[field.number + 2] = size;
      size = static_cast<std::uint16_t>(size + field.bytes.size());
    }
    layout[0] = static_cast<std::uint16_t>(2 * layout.size());
    layout[1] = size;
    const std::size_t before = out.size(), at = before + layout[0];
    for (const std::uint16_t entry : layout) out += flat_bytes(entry);
    out += flat_bytes(static_cast<std::int32_t>(at - before));
    std::vector<std::size_t> places;
    for (const FlatField& field : fields) places.push_back(out.size()), out += field.bytes;
    for (std::size_t k = 0; k < fields.size(); ++k)
      if (fields[k].part) flat_offset(out, places[k], fields[k].part(out));
    return at;
  };
}

/// A value of a program, of this kind.
inline FlatPart flat_value(std::uint8_t kind, std::vector<FlatField> body) {
  return flat_table({FlatField::of(0, kind), FlatField::of(1, flat_table(std::move(body)))});
}

/// Members of a program of one method, as program.fbs numbers them.
struct FlatProgram {
  std::vector<FlatPart> values, instructions, operators, delegates;
  std::vector<std::int64_t> arenas = {0, 1024};
  std::vector<FlatField> more;  // of the program
  std::string segments;         // what lies behind it, if there is an extended header
  bool header = false;

  /// A tensor of u8 in rows, with these fields beside its dtype, sizes and order.
  void tensor(std::vector<std::int32_t> sizes, std::vector<FlatField> fields, std::int8_t dtype = 0) {
    std::vector<std::uint8_t> order;
    for (std::size_t k = 0; k < sizes.size(); ++k) order.push_back(static_cast<std::uint8_t>(k));
    std::vector<FlatField> body = {FlatField::of(0, dtype), FlatField::of(2, flat_list(std::move(sizes))),
                                   FlatField::of(3, flat_list(std::move(order)))};
    body.insert(body.end(), fields.begin(), fields.end());
    values.push_back(flat_value(5, std::move(body)));
  }
  void instruction(std::uint8_t kind, std::vector<FlatField> body) {
    instructions.push_back(flat_value(kind, std::move(body)));
  }
  std::string file() const {
    const FlatPart chain = flat_table({FlatField::of(2, flat_parts(instructions))});
    const FlatPart plan =
        flat_table({FlatField::of(0, flat_text("forward")), FlatField::of(2, flat_parts(values)),
                    FlatField::of(5, flat_parts({chain})), FlatField::of(6, flat_parts(operators)),
                    FlatField::of(7, flat_parts(delegates)), FlatField::of(8, flat_list(arenas))});
    std::vector<FlatField> fields = {FlatField::of(1, flat_parts({plan}))};
    fields.insert(fields.end(), more.begin(), more.end());
    std::string out = std::string(4, '\0') + "ET12" + (header ? "eh00" + std::string(52, '\0') : "");
    flat_offset(out, 0, flat_table(std::move(fields))(out));
    if (!header) return out;
    out.replace(16, 16, flat_bytes(std::uint64_t{out.size()}) + flat_bytes(std::uint64_t{out.size()}));
    return out + segments;
  }
};

}  // namespace noclobber
