#include "src/lower/pairs/described_sharing.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "src/ops/meaning.h"
#include "src/ops/schema.h"
#include "src/text/json.h"

namespace noclobber {
namespace {

std::string text_member(const OrderedJson& object, std::string_view key) {
  const OrderedJson* item = find_member(object, key);
  return item != nullptr && item->is_string() ? item->get<std::string>() : "";
}

void collect_refs(const OrderedJson& arg, std::vector<std::string>& out) {
  if (arg.is_array())
    for (const OrderedJson& item : arg) collect_refs(item, out);
  else if (arg.is_object() && find_member(arg, "ref") != nullptr)
    out.push_back(text_member(arg, "ref"));
}

class DescribedGraph {
 public:
  DescribedGraph(const OrderedJson& graph, const std::set<std::string>& described) : described_(described) {
    std::map<std::string, std::string> storages;
    if (const OrderedJson* inputs = find_member(graph, "inputs"))
      for (const OrderedJson& input : *inputs) {
        const std::string name = text_member(input, "name"), storage = text_member(input, "storage");
        first_[name] = storage.empty() ? name : storages.emplace(storage, name).first->second;
      }
    if (const OrderedJson* steps = find_member(graph, "steps"))
      for (const OrderedJson& step : *steps) take(step);
  }
  std::vector<std::string> otherwise;

 private:
  void take(const OrderedJson& step) {
    std::vector<std::string> names;
    if (const OrderedJson* several = find_member(step, "names"))
      for (const OrderedJson& name : *several)
        names.push_back(name.is_string() ? name.get<std::string>() : "");
    else
      names.push_back(text_member(step, "name"));
    const OrderedJson* lies = find_member(step, "lies_in");
    for (std::size_t k = 0; k < names.size(); ++k) {
      const bool is_told = lies != nullptr && lies->is_array() && k < lies->size() && (*lies)[k].is_string();
      first_[names[k]] = is_told ? (*lies)[k].get<std::string>() : names[k];
    }
    if (names.size() == 1 && described_.contains(names[0])) judge(step, names[0]);
  }

  void judge(const OrderedJson& step, const std::string& name) {
    const std::string op = text_member(step, "op");
    const Schema* schema = find_schema(op);
    const OrderedJson* args = find_member(step, "args");
    if (schema == nullptr || args == nullptr || !args->is_array() || schema->writes()) return;
    const Meaning meaning = meaning_of(base_name(op), *schema);
    std::vector<std::string> given;
    const bool is_view = meaning == Meaning::view;
    if (is_view && !args->empty()) collect_refs((*args)[0], given);
    if (!is_view && gives_fresh(meaning)) collect_refs(*args, given);
    const bool meets =
        std::ranges::any_of(given, [&](const std::string& of) { return first_[of] == first_[name]; });
    if (is_view && given.size() == 1 && !meets)
      otherwise.push_back("aliasing: " + name + " (" + op + ") is described apart from what it is a view of");
    if (!is_view && meets)
      otherwise.push_back("aliasing: " + name + " (" + op +
                          ") is described on the storage of what it is given");
  }

  const std::set<std::string>& described_;
  std::map<std::string, std::string> first_;  // per value: the first one on its storage
};

}  // namespace

std::vector<std::string> sharing_described_otherwise(std::string_view text) {
  constexpr std::string_view kSaid = "\"described\"";  // rare in texts
  const std::boyer_moore_horspool_searcher said(kSaid.begin(), kSaid.end());
  if (std::search(text.begin(), text.end(), said) == text.end()) return {};
  const auto json = parse_strict_json(text);
  if (!json || !json->is_object()) return {};
  const OrderedJson *names = find_member(*json, "described"), *after = find_member(*json, "after");
  if (names == nullptr || !names->is_array() || after == nullptr) return {};
  std::set<std::string> described;
  for (const OrderedJson& name : *names)
    if (name.is_string()) described.insert(name.get<std::string>());
  return DescribedGraph(*after, described).otherwise;
}

}  // namespace noclobber
