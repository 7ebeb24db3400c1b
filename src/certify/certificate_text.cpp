#include "src/certify/certificate_text.h"
#include "checker/text/hash.h"

#include <algorithm>
#include <charconv>

#include "src/certify/fields.h"

namespace noclobber {
namespace {

/// The parts of a noun's form, with lists by address. Nouns with equal parts have one form.
class Parts {
 public:
  template <class T>
  explicit Parts(const T& noun) {
    form(*this, noun);
  }
  template <class... T>
  void operator()(const T&... all) {
    (add(all), ...);
  }
  friend bool operator==(const Parts&, const Parts&) = default;
  struct Hash {
    std::size_t operator()(const Parts& parts) const {
      std::size_t out = 0;
      for (const void* place : parts.places_) out = mix(out, std::hash<const void*>{}(place));
      for (const std::uint64_t number : parts.numbers_) out = mix(out, number);
      return out;
    }
  };

 private:
  template <class T>
  void add(const T& number) requires std::integral<T> || std::is_enum_v<T> {
    numbers_[number_++] = static_cast<std::uint64_t>(number);
  }
  void add(ElementType type) { add(type.number()); }
  template <class T>
  void add(const Shared<T>& list) {
    places_[place_++] = list.place();
  }
  template <class T>
  void add(const Num<T>& numbers) {
    add(numbers.at);
  }
  template <class T>
  void add(const Count<T>& list) {
    add(list.of.size());
  }

  std::array<const void*, 3> places_{};
  std::array<std::uint64_t, 4> numbers_{};
  std::uint8_t place_ = 0, number_ = 0;
};

/// An estimate of the characters of the checks, enough for most certificates.
std::size_t roughly(const std::vector<Check>& checks) {
  std::size_t out = 1024;
  const auto add = [&](const Trace& trace) {
    out += 20 * trace.storages.size() + 12 * trace.steps.size();
    for (const TraceStep& step : trace.steps) out += 9 * (step.reads.size() + step.writes.size());
  };
  for (const Check& check : checks) {
    if (check.before) add(*check.before);
    add(check.after);
    out += 20 * check.lemmas.size();
  }
  return out;
}

void put_part(CertificateText& text, std::size_t part, const std::string& content) {
  const std::size_t begin = part == 0 ? 0 : text.ends[part - 1], length = text.ends[part] - begin;
  text.whole.replace(begin, length, content);
  for (; part < text.ends.size(); ++part) text.ends[part] += content.size() - length;
}
void put_sum(CertificateText& text) {
  text.whole.resize(text.ends.back());
  text.whole += "sum " + checksum(text.whole) + "\n";
}

class Writer {
 public:
  explicit Writer(Space& space) : space_(space) {}

  CertificateText parts(const Certificate& c, const std::vector<PolyId>& facts, bool lean) {
    // Facts first, so that their numbers are in the table before the facts are read.
    const std::string facts_text = part(Num{facts}), evidence = part(c.evidence);
    out_.reserve(roughly(c.checks));
    std::vector<std::size_t> ends;
    for (const Check& check : c.checks) {
      value(check), ends.push_back(out_.size());
      value(check.lemmas), ends.push_back(out_.size());
    }
    (out_ += "\nrefutation", value(c.refutation), out_ += '\n'), ends.push_back(out_.size());
    std::string rest = std::exchange(out_, "");
    CertificateText out;
    const auto add = [&](const std::string& text) { out.ends.push_back((out.whole += text).size()); };
    add("noclobber.cert/2\nabout" + part(c.about) + "\ninputs" + part(c.inputs) + "\noperators" +
        part(c.operators) + "\nassumptions" + part(c.assumptions) + "\nsymbols" + symbols(c) + "\nnumbers");
    add(part(count_));
    add(polys_text_);
    add("\nfacts" + facts_text + table("views", views_) + table("storages", storages_) +
        table("steps", steps_) + "\nevidence");
    add(lean ? " 0" : evidence);
    add("\nchecks" + part(c.checks.size()));
    for (const std::size_t end : ends) out.ends.push_back(out.whole.size() + end);
    rest.insert(0, out.whole);
    out.whole = std::move(rest);
    put_sum(out);
    return out;
  }
  void put(CertificateText& text, const std::vector<PolyId>& numbers,
           const std::vector<Derivation>& evidence) {
    for (const PolyId number : numbers) place(number);
    put_part(text, CertificateText::evidence, part(evidence));
    const std::size_t begin = text.ends[CertificateText::count], end = text.ends[CertificateText::numbers];
    put_part(text, CertificateText::numbers, text.whole.substr(begin, end - begin) + polys_text_);
    put_part(text, CertificateText::count, part(count_));
    put_sum(text);
  }

  template <class T>
  std::string part(const T& content) {
    std::string saved = std::exchange(out_, "");
    value(content);
    return std::exchange(out_, std::move(saved));
  }
  template <class... T>
  void operator()(const T&... all) {
    (value(all), ...);
  }

 private:
  /// The table of forms of one kind of noun.
  struct Forms {
    std::unordered_map<std::string, std::size_t> places;
    std::unordered_map<Parts, std::size_t, Parts::Hash> by_parts;
    const std::pair<const Parts, std::size_t>* latest = nullptr;
    std::string text;
  };
  static std::string table(const char* name, const Forms& all) {
    return std::string("\n") + name + " " + std::to_string(all.places.size()) + all.text;
  }
  Forms& forms(const TraceView&) { return views_; }
  Forms& forms(const TraceStorage&) { return storages_; }
  Forms& forms(const TraceStep&) { return steps_; }

  template <std::integral T>
  void value(T number) {
    if (static_cast<std::uint64_t>(number) <= 9) {  // most numbers; a negative one is large here
      out_ += ' ';
      out_ += static_cast<char>('0' + number);
      return;
    }
    char digits[24];
    digits[0] = ' ';
    const char* const end = std::to_chars(digits + 1, std::end(digits), +number).ptr;
    out_.append(digits, static_cast<std::size_t>(end - digits));
  }
  template <class T>
  requires std::is_enum_v<T>
  void value(T kind) { value(static_cast<unsigned>(kind)); }
  void value(const std::string& text) {
    value(text.size());
    out_ += ':';
    out_ += text;
  }
  void value(ElementType type) { value(*type); }
  template <class List>
  void list(const List& all) {
    value(all.size());
    for (const auto& one : all) value(one);
  }
  template <class T>
  void value(const std::vector<T>& all) {
    list(all);
  }
  template <class T>
  void value(const std::set<T>& all) {
    list(all);
  }
  template <class T>
  void value(const std::optional<T>& one) {
    value(one.has_value());
    if (one) value(*one);
  }
  template <class A, class B>
  void value(const std::pair<A, B>& both) {
    value(both.first);
    value(both.second);
  }
  void value(const Num<const PolyId>& number) { value(poly(number.at)); }
  template <class List>
  void value(const Num<List>& numbers) {
    value(numbers.at.size());
    for (PolyId p : numbers.at) value(poly(p));
  }
  template <class List>
  void value(const Shared<List>& all) {
    value(*all);
  }
  template <class T>
  void value(const Form<const T>& noun) {
    Forms& all = forms(noun.of);
    const Parts parts(noun.of);  // Traces outlive the writer
    if (all.latest == nullptr || all.latest->first != parts) {
      const auto [at, is_new] = all.by_parts.try_emplace(parts, 0);
      if (is_new) at->second = form_of(noun);
      all.latest = &*at;
    }
    value(all.latest->second);
  }
  template <class T>
  std::size_t form_of(const Form<const T>& noun) {
    std::string saved = std::exchange(out_, std::exchange(spare_, ""));
    form(*this, noun.of);
    Forms& all = forms(noun.of);
    const auto [at, is_new] = all.places.try_emplace(out_, all.places.size());
    if (is_new) all.text += "\n" + out_;
    out_.clear();
    spare_ = std::exchange(out_, std::move(saved));
    return at->second;
  }
  template <class T>
  void value(const Count<const T>& all) {
    value(all.of.size());
  }
  template <class T>
  void value(const Entries<const T>& all) {
    for (const auto& one : all.of) value(one);
  }
  void value(const Map& m) {
    const bool reshape = m.kind == Map::Kind::reshape;
    (*this)(reshape, Num{m.from}, Num{m.to});
    if (reshape) return value(group_ends(space_, m));
    const Affine all = affine(space_, m);
    for (PolyId p : all.start) value(poly(p));
    value(all.factors.size());
    for (const auto& [to, from, by] : all.factors) (*this)(to, from, poly(by));
  }
  template <class T>
  requires requires(Writer& w, const T& t) { fields(w, t); }
  void value(const T& noun) {
    if constexpr (std::same_as<T, TraceStep> || std::same_as<T, TraceStorage> ||
                  std::same_as<T, Derivation> || std::same_as<T, TracePlacement>)
      out_ += '\n';
    fields(*this, noun);
  }

  std::string symbols(const Certificate& c) {
    std::string out;
    std::size_t count = 0;
    for (AtomId a = 0; a < space_.atom_count(); ++a) {
      const Atom& atom = space_.atom(a);
      if (atom.kind != Atom::Kind::symbol) continue;
      ++count;
      const auto at = c.symbols.find(atom.name);
      const std::int64_t value = at != c.symbols.end() ? at->second : atom.bounded_below ? atom.least : 0;
      const std::string least = atom.bounded_below ? part(atom.least) : std::string();
      out += "\n" + part(atom.name) + part(atom.bounded_below) + least + part(atom.most) + part(value);
    }
    return " " + std::to_string(count) + out;
  }

  /// Gives the number the next place of the table.
  std::size_t place(PolyId id) {
    const auto atom = one_atom(id);
    polys_.emplace(atom ? key_of(*atom) : id, count_);
    return count_++;
  }
  std::optional<AtomId> one_atom(PolyId id) const {
    if (id == Space::kBad || space_.terms(id).size() != 1 || space_.terms(id)[0].factor != 1) return {};
    const Product& atoms = space_.atoms(space_.terms(id)[0]);
    return atoms.size() == 1 ? std::optional(atoms[0]) : std::nullopt;
  }
  static std::uint64_t key_of(AtomId id) { return std::uint64_t{1} << 32 | id; }
  /// The place of a number, which is written as `text` if it is new.
  std::size_t number(std::uint64_t key, const std::string& text) {
    const auto [at, is_new] = polys_.emplace(key, count_);
    if (is_new) polys_text_ += "\n" + text, ++count_;
    return at->second;
  }
  std::size_t atom(AtomId id) {
    const std::uint64_t key = key_of(id);
    if (const auto at = polys_.find(key); at != polys_.end()) return at->second;
    const Atom& a = space_.atom(id);
    const auto of = [&](PolyId p) { return " " + std::to_string(poly(p)); };
    switch (a.kind) {
      case Atom::Kind::symbol:
        return number(key, "s" + part(a.name));
      case Atom::Kind::index:
        return number(key, "i " + std::to_string(a.position) + of(a.first));
      case Atom::Kind::quotient: {
        const std::string first = of(a.first);
        return number(key, "q" + first + of(a.second));
      }
      case Atom::Kind::opaque:
        break;
    }
    std::string arguments;
    for (PolyId p : a.arguments) arguments += of(p);
    return number(key, "f" + part(a.name) + " " + std::to_string(a.arguments.size()) + arguments);
  }
  std::size_t poly(PolyId id) {
    const std::uint64_t key = id;
    if (const auto at = polys_.find(key); at != polys_.end()) return at->second;
    if (id == Space::kBad) return number(key, "bad");
    if (const auto one = one_atom(id)) return atom(*one);
    std::vector<std::pair<std::vector<std::size_t>, std::int64_t>> sum;
    for (const Monomial& m : space_.terms(id)) {
      auto& factors = sum.emplace_back(std::vector<std::size_t>(), m.factor).first;
      for (AtomId a : space_.atoms(m)) factors.push_back(atom(a));
      std::ranges::sort(factors);
    }
    std::ranges::sort(sum);
    std::string text = "p " + std::to_string(sum.size());
    for (const auto& [factors, by] : sum) {
      text += " " + std::to_string(by) + " " + std::to_string(factors.size());
      for (std::size_t k : factors) text += " " + std::to_string(k);
    }
    return number(key, text);
  }

  Space& space_;
  std::string out_, spare_, polys_text_;
  std::size_t count_ = 0;                                 // numbers in the table
  std::unordered_map<std::uint64_t, std::size_t> polys_;  // place by polynomial, or by 2^32 + atom
  Forms views_, storages_, steps_;
};

}  // namespace

void CertificateText::put_lemmas(const Certificate& certificate) {
  Space none;
  Writer writer(none);
  for (std::size_t k = 0; k < certificate.checks.size(); ++k)
    put_part(*this, checks + 2 * k + 2, writer.part(certificate.checks[k].lemmas));
  put_sum(*this);
}

void CertificateText::put(Space& space, const checker::Certificate& read,
                          const std::vector<Derivation>& derivations) {
  Writer(space).put(*this, read.numbers, derivations);
}

CertificateText certificate_parts(Space& space, const Certificate& certificate, bool lean) {
  std::set<PolyId> used;
  for (const Derivation& derivation : certificate.evidence)
    for (const Line& line : derivation.lines)
      if (line.rule == Line::Rule::fact) used.insert(line.poly);
  std::vector<PolyId> facts = space.facts();
  if (lean)
    std::erase_if(
        facts, [&](PolyId fact) { return !used.contains(fact) && !space.value(fact, certificate.symbols); });
  return Writer(space).parts(certificate, facts, lean);
}

}  // namespace noclobber
