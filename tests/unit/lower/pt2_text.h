// Exported programs of one node as JSON, and what the reader says of them.
#pragma once
#include <algorithm>
#include <string>

#include "src/lower/pt2/pt2.h"
#include "tests/catch.h"
#include "tests/support/zip_text.h"

namespace noclobber {

inline std::string pt2_fault(const std::string& bytes) {
  const auto cases = read_pt2(bytes);
  return cases ? "accepted" : cases.fault().where + ": " + cases.fault().message;
}

/// JSON is easier to read with single quotes.
inline std::string json_of(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

inline const std::string kMeta = json_of(
    "{'dtype': 7, 'sizes': [{'as_int': 3}], 'strides': [{'as_int': 1}], 'storage_offset': {'as_int': 0}, "
    "'device': {'type': 'cuda', 'index': 1}, 'layout': 7}");
inline const std::string kOutput = json_of("{'as_tensor': {'name': 'y'}}");
inline const std::string kUserOutput = json_of("{'user_output': {'arg': {'as_tensor': {'name': 'y'}}}}");

/// A program y = neg(x) whose node is as given.
inline std::string program_with(const std::string& node, const std::string& output = kOutput,
                                const std::string& spec = kUserOutput) {
  return json_of("{'graph_module': {'graph': {'inputs': [{'as_tensor': {'name': 'x'}}], 'outputs': [") +
         output + json_of("], 'nodes': [") + node + json_of("], 'tensor_values': {'x': ") + kMeta +
         json_of(", 'y': ") + kMeta +
         json_of(
             "}, 'sym_int_values': {}}, 'signature': {'input_specs': [{'user_input': {'arg': {'as_tensor': "
             "{'name': 'x'}}}}], 'output_specs': [") +
         spec + json_of("]}}, 'range_constraints': {}, 'schema_version': {'major': 8, 'minor': 2}}");
}

inline std::string node_of(const std::string& inputs,
                           const std::string& target = "torch.ops.aten.neg.default") {
  return R"({"target": ")" + target + R"(", "inputs": [)" + inputs +
         R"(], "outputs": [{"as_tensor": {"name": "y"}}], "metadata": {}})";
}

inline const std::string kSelf = R"({"name": "self", "arg": {"as_tensor": {"name": "x"}}})";
inline const std::string kPlain = program_with(node_of(kSelf));

inline std::string zipped(const std::string& json) { return zip_of({{"root/models/model.json", json}}); }

}  // namespace noclobber
