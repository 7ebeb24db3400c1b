#include "src/cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <exception>
#include <set>
#include <string_view>

#include "src/base/check.h"
#include "src/base/suggest.h"
#include "src/cli/command_table.h"
#include "src/cli/commands.h"
#include "src/cli/config.h"
#include "src/report/names.h"
#include "src/run/options.h"

namespace noclobber {

namespace {

constexpr const char* kDescription =
    "Proves that in-place and buffer-reusing rewrites of tensor graphs change nothing,\n"
    "or shows a run in which they do.\n\n"
    "  TORCH_TRACE=/tmp/t python train.py && noclobber check /tmp/t\n";

constexpr const char* kFooter =
    "Exit codes: 0 proved, 1 refuted, 2 usage, unreadable or nothing to check, 3 unknown, 4 internal error,\n"
    "130 interrupted.";

void add(CLI::App& app, bool& field, const char* flag, const char*, const char* help) {
  app.add_flag(flag, field, help);
}

void add(CLI::App& app, std::uint64_t& field, const char* flag, const char* value, const char* help) {
  const auto in_range = [](const std::string& text) {  // CLI11 wraps -1 and saturates 2^64
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool good = fault == std::errc() && end == text.data() + text.size();
    return good ? std::string() : fmt::format("{} is no number from 0 to 2^64 - 1", printable(text));
  };
  app.add_option(flag, field, help)->option_text(value)->check(in_range);
}

void add(CLI::App& app, std::string& field, const char* flag, const char* value, const char* help) {
  CLI::Option* option = app.add_option(flag, field, help)->option_text(value);
  const std::vector<std::string> choices = CLI::detail::split(value, '|');
  if (choices.size() > 1) option->check(CLI::IsMember(choices));
}

void add_options(CLI::App& app, Command::Takes takes, Options& options) {
  using namespace option_scope;
#define NC_OPTION(field, type, fallback, flag, value, scope, help) \
  if ((static_cast<unsigned>(takes) & (scope)) != 0) add(app, options.field, flag, value, help);
#include "src/run/options.def"
#undef NC_OPTION
}

/// Adds a positional for each word of the name. CLI11 calls the callbacks in this order.
void add_positionals(CLI::App& app, const Command& command, std::vector<std::string>& inputs) {
  if (command.most == 0) return;
  for (const std::string& name : CLI::detail::split(command.positional, ' ')) {
    const auto store = [&inputs](const std::string& word) { inputs.push_back(word); };
    CLI::Option* option = app.add_option_function<std::string>(name, store, command.positional_help);
    option->option_text(" ")->required(command.least > 0);
  }
}

/// `asked`: the command may be the one to run. Otherwise its options are not needed.
void add_command(CLI::App& app, const Command& command, Options& options, bool asked) {
  CLI::App* sub = app.add_subcommand(std::string(command.name), command.help);
  if (command.most == kManyInputs) {
    sub->add_option(command.positional, options.inputs, command.positional_help)
        ->option_text("...")
        ->required();
  } else {
    add_positionals(*sub, command, options.inputs);
  }
  if (asked && command.takes != Command::Takes::nothing) add_options(*sub, command.takes, options);
  sub->allow_extras();  // so that a mistyped option gets a suggestion
}

void usage_error(const std::string& message, std::string_view command) {
  const std::string of = command.empty() ? "" : fmt::format(" {}", command);
  print_error("", "", fmt::format("{}; see noclobber{} --help", message, of));
}

std::string unknown_option_text(const std::string& word) {
  static constexpr std::string_view flags[] = {
#define NC_OPTION(field, type, fallback, flag, value, scope, help) flag,
#include "src/run/options.def"
#undef NC_OPTION
  };
  if (!word.starts_with('-') || word == "-") return fmt::format("unexpected argument '{}'", printable(word));
  const std::string name = word.substr(0, word.find('='));
  return fmt::format("unknown option '{}'{}", printable(name), suggestion(name, flags));
}

std::string unknown_command_text(const char* word) {
  std::vector<std::string_view> known;
  for (const Command& command : command_table()) known.push_back(command.name);
  return fmt::format("unknown command '{}'{}", printable(word), suggestion(word, known));
}

/// Applies the settings file. Prints an error and returns false if it is invalid.
bool configured(const Command& command, const CLI::App& sub, Options& options) {
  if (command.takes == Command::Takes::nothing || command.takes == Command::Takes::ask) return true;
  std::set<std::string> given;
  const auto note = [&](std::string_view flag) {
    const std::string name = setting_name(flag);
    const CLI::Option* option = sub.get_option_no_throw("--" + name);
    if (option != nullptr && option->count() > 0) given.insert(name);
  };
#define NC_OPTION(field, type, fallback, flag, value, scope, help) note(flag);
#include "src/run/options.def"
#undef NC_OPTION
  auto origins = apply_config(options, given);
  if (!origins) {
    print_error(origins.fault().where, "", origins.fault().message);
    return false;
  }
  options.origins = *std::move(origins);
  return true;
}

int run_command(const CLI::App& app, Options& options) {
  for (const Command& command : command_table()) {
    const CLI::App* sub = app.get_subcommand(std::string(command.name));
    if (!sub->parsed()) continue;
    auto extras = sub->remaining();
    std::erase(extras, "--");  // all words after it are positional
    if (extras.empty()) return configured(command, *sub, options) ? command.run(options) : kUsageError;
    usage_error(unknown_option_text(extras.front()), command.name);
    return kUsageError;
  }
  return kUsageError;
}

bool is_command(std::string_view word) {
  return std::ranges::any_of(command_table(), [&](const Command& command) { return command.name == word; });
}

/// `first`: the first argument.
int parse_and_run(int argc, char** argv, std::string_view first) {
  CLI::App app(kDescription, "noclobber");
  app.footer(kFooter);
  app.set_version_flag("--version", fmt::format("noclobber {}", NC_VERSION),
                       "print tool, operator table, Z3 and build (with --json as JSON)");
  Options options;
  const bool any = !is_command(first);
  for (const Command& command : command_table())
    add_command(app, command, options, any || command.name == first);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wish) {  // --help, --version
    return app.exit(wish);
  } catch (const CLI::ParseError& fault) {
    std::string_view command;
    for (const CLI::App* sub : app.get_subcommands()) command = sub->get_name();
    usage_error(fault.what(), command);
    return kUsageError;
  }
  if (app.get_subcommands().empty()) {
    fmt::print(stderr, "{}", app.help());
    return kUsageError;
  }
  return run_command(app, options);
}

}  // namespace

static int run_words(int argc, char** argv) {
  try {
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (first == "--print-options-md") {
      fmt::print("{}", options_markdown());
      return 0;
    }
    const bool json = argc == 3 && argv[2] == std::string_view("--json");
    if (first == "--version" && (argc == 2 || json)) return print_version(json);
    if (!first.empty() && !first.starts_with('-') && !is_command(first)) {
      usage_error(unknown_command_text(argv[1]), "");
      return kUsageError;
    }
    return parse_and_run(argc, argv, first);
  } catch (const std::exception& fault) {
    if (std::ferror(stdout) != 0) return 0;  // run_app() says so
    internal_error(__FILE__, __LINE__, fault.what());
  }
}

int run_app(int argc, char** argv) {
  const int code = run_words(argc, argv);
  const bool hides_nothing = code == 0 || code == 3;
  return hides_nothing && !flush_output() ? kUsageError : code;
}

}  // namespace noclobber
