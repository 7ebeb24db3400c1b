// The parser of one graph of FX text. fx_text.cpp reads everything around statements, fx_text_statement.cpp
// the statements.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/formats/fx_text/fx_text_value.h"

namespace noclobber {

struct FxParameter {
  std::string_view name;
  FxAnnotation annotation;
  std::size_t at = 0;
};

/// What all graphs of one text share.
struct FxText {
  FxCursor cursor;
  FxSymbols symbols;
  std::unordered_set<std::string_view> classes;  // names of all nested modules
  bool annotated = false;                        // some value has an annotation
  bool has_strides = false;
  std::unordered_map<std::string_view, FxAnnotation> annotations;  // those read so far, by their text
};

/// Skips empty lines and comments up to the next line with code. Returns its indentation.
std::size_t fx_indentation(FxCursor& cursor);

/// "<lambda>/true_graph_0/body_graph_0" -> "body_graph_0"
std::string_view fx_last_name(std::string_view name);

/// Names the constants of all nested modules by their path: "true_graph_0._tensor_constant0".
void fx_qualify_attributes(Graph& graph, const std::string& path);

/// Turns constants of bodies into operands of the steps that run the bodies, also in nested bodies.
/// require: the constants are named by their path.
void fx_lift_constants(Graph& graph);

/// Reads an annotation after its `:`. The result lives as long as `text`.
const FxAnnotation& read_fx_annotation(FxText& text);

/// One `forward` with its nested modules.
class FxModule {
 public:
  FxModule(FxText& text, Graph& graph, int depth)
      : text_(text),
        cursor_(text.cursor),
        graph_(graph),
        names_(graph),
        values_(cursor_, names_),
        depth_(depth) {}

  /// The cursor stands at the start of a line with `class` or `def`.
  void read() {
    start_ = fx_indentation(cursor_);
    class_line();
    if (!cursor_.failed()) parameters();
    while (!cursor_.failed() && !returned_) line();
    if (!cursor_.failed()) names_.settle();
    if (!cursor_.failed()) nested();
  }

 private:
  void class_line();
  void parameters();
  void parameter();
  void line();
  void comment();
  void statement();
  void assignment(std::string_view name, std::size_t at, const FxAnnotation& annotation);
  bool update(std::string_view name);
  void update_result(std::string_view updated, std::string op, std::vector<Arg> args, std::string_view sign);
  void declaration(std::string_view name, std::size_t at, const FxAnnotation& annotation);
  void flatten(std::vector<std::string_view> names);
  void settle_parameters();
  void assign(std::string_view name, std::size_t at, const FxAnnotation& annotation);
  void attribute(std::string_view name, std::size_t at, const FxAnnotation& annotation);
  void item(std::string_view name, std::size_t at, const FxAnnotation& annotation);
  void operation(std::string op, std::string_view name, std::size_t at, const FxAnnotation& annotation);
  void expression(std::string_view name, std::size_t at, const FxAnnotation& annotation);
  bool begins_item() const;
  bool begins_member() const;
  void member(std::string_view name, std::size_t at, const FxAnnotation& annotation);
  void module_call(std::string_view module, std::string_view name, std::size_t at,
                   const FxAnnotation& annotation);
  bool python_call(std::string_view name, std::size_t at, const FxAnnotation& annotation);
  void tensor_item(std::string_view tensor, Arg index, std::string_view name, std::size_t at,
                   const FxAnnotation& annotation);
  void add(Step step, std::string_view name, std::size_t at, const FxAnnotation& annotation);
  Step new_step(std::string op) const;
  void skip_to_forward();
  void sibling();
  void ending();
  bool whole_tuple();
  void outputs();
  void nested();
  void check(std::size_t at, std::string fault) {
    if (!fault.empty()) cursor_.fail_at(at, std::move(fault));
  }
  void refuse_unread(std::size_t at);

  FxText& text_;
  FxCursor& cursor_;
  Graph& graph_;
  FxNames names_;
  FxValues values_;
  int depth_;
  std::size_t start_ = 0;   // indentation of `class`
  std::size_t indent_ = 0;  // of `def`
  std::vector<FxParameter> parameters_;
  std::unordered_map<std::string_view, FxParameter> declared_;  // by lines that are only an annotation
  bool parameters_settled_ = false;
  bool returned_ = false;
  bool mid_line_ = false;  // after a declaration, whose line may hold more
  Shared<StepSource> source_;
};

}  // namespace noclobber
