// `completions SHELL`: a script for the shell, made from the tables of commands and options.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "src/base/suggest.h"
#include "src/cli/command_table.h"
#include "src/cli/commands.h"
#include "src/report/names.h"
#include "src/report/reasons.h"
#include "src/report/report.h"
#include "src/report/rules.h"

namespace noclobber {

namespace {

using Words = std::vector<std::string>;

Words split(std::string_view text, char mark) {
  Words out;
  for (std::size_t from = 0; from <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find(mark, from), text.size());
    out.emplace_back(text.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

std::string joined(const Words& words, std::string_view gap = " ") {
  return fmt::format("{}", fmt::join(words, gap));
}

/// The completions of a value: words, files, folders or none.
struct Values {
  enum class Kind : std::uint8_t { words, file, folder, other } kind = Kind::other;
  Words words = {};
};

Values values_of(std::string_view value) {
  if (value.find('|') != std::string_view::npos) return {Values::Kind::words, split(value, '|')};
  if (value == "FILE" || value == "OLD") return {Values::Kind::file};
  if (value == "DIR") return {Values::Kind::folder};
  Values out;
  if (value != "FORMAT") return out;
  out.kind = Values::Kind::words;
  for (const Format& format : formats()) out.words.emplace_back(format.name);
  return out;
}

/// The completions of positional arguments.
Values positional_of(const Command& command) {
  const std::string_view name = command.positional;
  if (command.most == 0) return {};
  if (name == "CODE") {
    Values out{Values::Kind::words};
    for (const Rule& rule : rules()) out.words.emplace_back(rule.code);
    for (const UnknownReason& reason : unknown_reasons()) out.words.emplace_back(reason.code);
    return out;
  }
  if (name == "DIR") return {Values::Kind::folder};
  const bool upper = name.front() >= 'A' && name.front() <= 'Z';
  return upper ? Values{Values::Kind::file} : Values{Values::Kind::words, split(name, '|')};
}

std::vector<OptionLine> options_of(const Command& command) {
  std::vector<OptionLine> out;
  for (const OptionLine& line : option_lines())
    if ((line.scope & static_cast<unsigned>(command.takes)) != 0) out.push_back(line);
  return out;
}

Words flags_of(const Command& command) {
  Words out;
  for (const OptionLine& line : options_of(command))
    for (std::string& flag : split(line.flag, ',')) out.push_back(std::move(flag));
  out.emplace_back("--help");
  return out;
}

Words command_names() {
  Words out;
  for (const Command& command : command_table()) out.emplace_back(command.name);
  return out;
}

/// The arms of a `case` over options with values: `--a | --b) ...;;` for the names of one option.
std::string bash_value_arms() {
  std::string out;
  for (const OptionLine& line : option_lines()) {
    if (line.value.empty()) continue;
    const Values values = values_of(line.value);
    const std::string arm = joined(split(line.flag, ','), " | ");
    const char* what = values.kind == Values::Kind::file     ? "files=-f"
                       : values.kind == Values::Kind::folder ? "files=-d"
                                                             : "";
    const std::string does =
        values.kind == Values::Kind::words ? fmt::format("words='{}'", joined(values.words)) : what;
    out += fmt::format("    {}){}{} ;;\n", arm, does.empty() ? "" : " ", does);
  }
  return out;
}

std::string bash_command_arms() {
  std::string out;
  for (const Command& command : command_table()) {
    const Values values = positional_of(command);
    out += fmt::format("      {}) flags='{}'", command.name, joined(flags_of(command)));
    if (values.kind == Values::Kind::words) out += fmt::format(" words='{}'", joined(values.words));
    if (values.kind == Values::Kind::file) out += " files=-f";
    if (values.kind == Values::Kind::folder) out += " files=-d";
    out += " ;;\n";
  }
  return out;
}

std::string bash_script() {
  return fmt::format(
      R"(# Completion of noclobber for bash, made by `noclobber completions bash`.
_noclobber() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" last="" flags="" words="" files=""
  ((COMP_CWORD > 0)) && last="${{COMP_WORDS[COMP_CWORD - 1]}}"
  if [[ $word == "=" ]]; then
    word=""
  elif [[ $last == "=" ]]; then
    last="${{COMP_WORDS[COMP_CWORD - 2]}}"
  fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words='{} --help --version'
  else
    case "$last" in
{}    *) case "${{COMP_WORDS[1]}}" in
{}      esac ;;
    esac
  fi
  [[ $word == -* && -n $flags ]] && words="$flags" files=""
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [[ -n $files ]]; then
    local IFS=$'\n'
    COMPREPLY+=($(compgen $files -- "$word"))
    compopt -o filenames 2>/dev/null
  fi
  return 0
}}
complete -F _noclobber noclobber
)",
      joined(command_names()), bash_value_arms(), bash_command_arms());
}

/// `quote` replaces each single quote, so that the text can be put in single quotes.
std::string quoted(std::string_view text, std::string_view quote) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string(quote) : std::string(1, c);
  return out;
}

std::string with_escapes(std::string_view text, std::string_view marks) {
  std::string out;
  for (const char c : text) {
    if (marks.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

constexpr std::string_view kZshQuote = "'\\''", kFishQuote = "\\'";

std::string zsh_action(const Values& values) {
  switch (values.kind) {
    case Values::Kind::words:
      return fmt::format("({})", joined(values.words));
    case Values::Kind::file:
      return "_files";
    case Values::Kind::folder:
      return "_files -/";
    case Values::Kind::other:
      break;
  }
  return " ";
}

std::string zsh_options(const Command& command) {
  std::string out;
  for (const OptionLine& line : options_of(command))
    for (const std::string& flag : split(line.flag, ',')) {
      const std::string help = quoted(with_escapes(line.help, "[]:\\"), kZshQuote);
      const std::string value = line.value.empty() ? ""
                                                   : fmt::format(":{}:{}", with_escapes(line.value, ":"),
                                                                 zsh_action(values_of(line.value)));
      out += fmt::format("          '{}{}[{}]{}' \\\n", flag, line.value.empty() ? "" : "=", help, value);
    }
  out += "          '--help[print help]'";
  if (command.most > 0)
    out += fmt::format(" \\\n          '*:{}:{}'", command.positional, zsh_action(positional_of(command)));
  return out + "\n";
}

std::string zsh_script() {
  std::string names, arms;
  for (const Command& command : command_table()) {
    names +=
        fmt::format("        '{}:{}'\n", command.name, quoted(with_escapes(command.help, ":"), kZshQuote));
    arms += fmt::format("      {})\n        _arguments -S \\\n{}        ;;\n", command.name,
                        zsh_options(command));
  }
  return fmt::format(
      R"(#compdef noclobber
# Completion of noclobber for zsh, made by `noclobber completions zsh`.
_noclobber() {{
  local context state state_descr line
  typeset -A opt_args
  _arguments -C '--help[print help]' '--version[print the version]' '1: :->command' '*:: :->rest'
  case $state in
    command)
      local -a commands
      commands=(
{})
      _describe command commands
      ;;
    rest) case $words[1] in
{}    esac ;;
  esac
}}
if [ "$funcstack[1]" = "_noclobber" ]; then _noclobber "$@"; else compdef _noclobber noclobber; fi
)",
      names, arms);
}

std::string fish_values(const Values& values) {
  switch (values.kind) {
    case Values::Kind::words:
      return fmt::format(" -xa '{}'", joined(values.words));
    case Values::Kind::file:
      return " -rF";
    case Values::Kind::folder:
      return " -xa '(__fish_complete_directories)'";
    case Values::Kind::other:
      break;
  }
  return " -x";
}

std::string fish_script() {
  std::string out =
      "# Completion of noclobber for fish, made by `noclobber completions fish`.\n"
      "complete -c noclobber -n __fish_use_subcommand -f -l help -d 'print help'\n"
      "complete -c noclobber -n __fish_use_subcommand -f -l version -d 'print the version'\n";
  const auto help = [](std::string_view text) { return quoted(with_escapes(text, "\\"), kFishQuote); };
  for (const Command& command : command_table()) {
    out += fmt::format("complete -c noclobber -n __fish_use_subcommand -f -a {} -d '{}'\n", command.name,
                       help(command.help));
    const std::string when = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name);
    for (const OptionLine& line : options_of(command)) {
      const std::string value = line.value.empty() ? "" : fish_values(values_of(line.value));
      for (const std::string& flag : split(line.flag, ','))
        out += fmt::format("complete -c noclobber {} -l {}{} -d '{}'\n", when, flag.substr(2), value,
                           help(line.help));
    }
    const Values values = positional_of(command);
    if (values.kind == Values::Kind::words)
      out += fmt::format("complete -c noclobber {} -f -a '{}'\n", when, joined(values.words));
  }
  return out;
}

}  // namespace

int run_completions(const Options& options) {
  const std::string& shell = options.inputs.front();
  const Words shells = {"bash", "zsh", "fish"};
  if (std::ranges::find(shells, shell) == shells.end()) {
    const std::vector<std::string_view> known(shells.begin(), shells.end());
    print_error("", "",
                fmt::format("completions knows {}, not '{}'{}", joined(shells, ", "), printable(shell),
                            suggestion(shell, known)));
    return kUsageError;
  }
  fmt::print("{}", shell == "bash" ? bash_script() : shell == "zsh" ? zsh_script() : fish_script());
  return flush_output() ? 0 : kUsageError;
}

}  // namespace noclobber
