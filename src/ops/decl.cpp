#include "src/ops/decl.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace noclobber {

namespace {

bool is_op_word(std::string_view word) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !word.empty() && letter(word[0]) &&
         std::all_of(word.begin(), word.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

const SchemaSlot* find_argument(const Schema& schema, std::string_view name) {
  for (const SchemaSlot& slot : schema.arguments) {
    if (slot.name == name && !name.empty()) return &slot;
  }
  return nullptr;
}

Diagnostic no_argument(const std::string& place, std::string_view name) {
  return {place, "'" + std::string(name) + "' is not an argument"};
}

std::optional<Diagnostic> repeated_argument(const Schema& schema, const std::string& place) {
  std::set<std::string_view> seen;
  for (const SchemaSlot& slot : schema.arguments) {
    if (!slot.name.empty() && !seen.insert(slot.name).second) {
      return Diagnostic{place + "/schema", "two arguments are named '" + slot.name + "'"};
    }
  }
  return std::nullopt;
}

std::optional<Diagnostic> unknown_names(const Schema& schema, const OpDecl& decl, const std::string& place) {
  for (const auto& [name, contract] : decl.access) {
    const std::string at = member_pointer(place + "/access", name);
    if (name != "*" && find_argument(schema, name) == nullptr) return no_argument(at, name);
    if (contract != "elementwise" && contract != "any")
      return Diagnostic{at, "unknown value '" + contract + "'"};
  }
  for (const auto& [name, extent] : decl.writes) {
    const std::string at = member_pointer(place + "/writes", name);
    const SchemaSlot* slot = find_argument(schema, name);
    if (slot == nullptr) return no_argument(at, name);
    if (!slot->written) return Diagnostic{at, "the schema does not write '" + name + "'"};
    if (extent != "all" && extent != "some") return Diagnostic{at, "unknown value '" + extent + "'"};
  }
  const auto old = decl.reads_old.value_or(std::vector<std::string>{});
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (find_argument(schema, old[i]) == nullptr) {
      return no_argument(place + "/reads_old/" + std::to_string(i), old[i]);
    }
  }
  return std::nullopt;
}

std::optional<Diagnostic> wrong_results(const Schema& schema, const OpDecl& decl, const std::string& place) {
  const std::size_t count = schema.returns.size();
  if (decl.result.size() > 1 && decl.result.size() != count) {
    return Diagnostic{place + "/result", std::to_string(decl.result.size()) + " entries, the schema has " +
                                             std::to_string(count) + " results"};
  }
  for (std::size_t i = 0; i < decl.result.size(); ++i) {
    if (decl.result[i] == "fresh" || decl.result[i] == "view") continue;
    return Diagnostic{place + "/result/" + std::to_string(i), "unknown value '" + decl.result[i] + "'"};
  }
  for (std::size_t i = 0; i < decl.may_alias.size(); ++i) {
    const auto& [result, name] = decl.may_alias[i];
    const std::string at = place + "/may_alias/" + std::to_string(i);
    if (result < 0 || static_cast<std::size_t>(result) >= count)
      return Diagnostic{at + "/0", "no such result"};
    if (find_argument(schema, name) == nullptr) return no_argument(at + "/1", name);
  }
  return std::nullopt;
}

/// A built-in operator cannot be redefined: one that writes, say, cannot be declared not to. A declaration
/// that repeats the schema and promises nothing more is fine.
std::optional<Diagnostic> contradicts_known(const DeclaredOp& declared, const std::string& place) {
  const Schema& schema = declared.schema;
  const OpDecl& decl = declared.decl;
  const Schema* known = find_schema(schema.op);
  if (known == nullptr) return std::nullopt;
  const bool is_plain = (decl.functional.empty() || decl.functional == functional_op(schema.op)) &&
                        decl.access.empty() && !decl.before_write && !decl.reads_old && decl.writes.empty() &&
                        decl.result.empty() && decl.may_alias.empty() && decl.pure;
  if (is_plain && schema_text(*known) == schema_text(schema)) return std::nullopt;
  return Diagnostic{place + "/schema", schema.op + " is built in and cannot be declared otherwise: it is " +
                                           schema_text(*known)};
}

}  // namespace

bool declared_alike(const OpDecl& a, const OpDecl& b) {
  const auto key = [](const OpDecl& d) {
    return std::tie(d.functional, d.access, d.before_write, d.reads_old, d.writes, d.result, d.may_alias,
                    d.pure);
  };
  return key(a) == key(b);
}

std::string member_pointer(const std::string& place, std::string_view key) {
  std::string out = place + "/";
  for (const char c : key) {
    if (c == '~' || c == '/') {
      out += c == '~' ? "~0" : "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string full_op_name(std::string_view text) {
  std::string dotted(text);
  if (const std::size_t colons = dotted.find("::"); colons != std::string::npos)
    dotted.replace(colons, 2, ".");
  std::vector<std::string> words(1);
  for (const char c : dotted) {
    if (c == '.') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.size() == 2) words.emplace_back("default");
  if (words.size() != 3 || !std::all_of(words.begin(), words.end(), is_op_word)) return "";
  return words[0] + "." + words[1] + "." + words[2];
}

Result<DeclaredOp> declare_op(const OpDecl& decl, const std::string& place) {
  Result<Schema> schema = parse_schema(decl.schema);
  if (!schema) {
    return Diagnostic{place + "/schema", schema.fault().where + ": " + schema.fault().message};
  }
  if (const auto fault = repeated_argument(*schema, place)) return *fault;
  if (const auto fault = unknown_names(*schema, decl, place)) return *fault;
  if (const auto fault = wrong_results(*schema, decl, place)) return *fault;
  DeclaredOp declared{*std::move(schema), decl};
  if (!decl.functional.empty()) {
    declared.decl.functional = full_op_name(decl.functional);
    if (declared.decl.functional.empty()) return Diagnostic{place + "/functional", "not an operator's name"};
  }
  if (decl.result.size() == 1) declared.decl.result.assign(declared.schema.returns.size(), decl.result[0]);
  return declared;
}

const DeclaredOp* OpSet::find_declared(std::string_view op) const {
  if (declared_.empty()) return nullptr;
  std::string full;
  if (std::count(op.begin(), op.end(), '.') == 1) {
    full = std::string(op) + ".default";
    op = full;
  }
  const auto found =
      std::lower_bound(declared_.begin(), declared_.end(), op,
                       [](const DeclaredOp& row, std::string_view key) { return row.schema.op < key; });
  return found != declared_.end() && found->schema.op == op ? &*found : nullptr;
}

const Schema* OpSet::find(std::string_view op) const {
  const DeclaredOp* row = find_declared(op);
  return row != nullptr ? &row->schema : find_schema(op);
}

const OpDecl* OpSet::declaration(std::string_view op) const {
  const DeclaredOp* row = find_declared(op);
  return row != nullptr ? &row->decl : nullptr;
}

bool reads_old(const OpDecl& decl, const SchemaSlot& slot) {
  return decl.reads_old ? std::ranges::find(*decl.reads_old, slot.name) != decl.reads_old->end()
                        : !slot.keyword_only;
}

bool writes_some(const OpDecl& decl, const SchemaSlot& slot) {
  const auto said = decl.writes.find(slot.name);
  return said == decl.writes.end() ? !slot.keyword_only : said->second == "some";
}

std::string OpSet::functional(std::string_view op) const {
  const DeclaredOp* row = find_declared(op);
  if (row == nullptr) return functional_op(op);
  if (!row->decl.functional.empty()) return row->decl.functional;
  if (!row->schema.writes()) return row->schema.op;
  const std::string known = functional_op(op);
  return known.empty() ? row->schema.op : known;
}

Result<OpSet> make_op_set(std::span<const OpDecl> decls) {
  OpSet set;
  for (std::size_t i = 0; i < decls.size(); ++i) {
    const std::string place = "/ops/" + std::to_string(i);
    Result<DeclaredOp> declared = declare_op(decls[i], place);
    if (!declared) return declared.fault();
    if (const auto fault = contradicts_known(*declared, place)) return *fault;
    const DeclaredOp* known = set.find_declared(declared->schema.op);
    if (known == nullptr) {
      const auto at =
          std::lower_bound(set.declared_.begin(), set.declared_.end(), declared->schema.op,
                           [](const DeclaredOp& row, const std::string& key) { return row.schema.op < key; });
      set.declared_.insert(at, *std::move(declared));
    } else if (schema_text(known->schema) != schema_text(declared->schema) ||
               !declared_alike(known->decl, declared->decl)) {
      return Diagnostic{place + "/schema", known->schema.op + " is declared twice"};
    }
  }
  return set;
}

}  // namespace noclobber
