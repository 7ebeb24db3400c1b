#include "src/cli/command_table.h"

#include <array>

#include "src/cli/commands.h"

namespace noclobber {

namespace {

constexpr int kMany = kManyInputs;
constexpr std::array kCommands = {
    Command{"check", Command::Takes::checks, 1, kMany, "INPUT",
            "a case, FX graph text, .pt2, .pte, a TORCH_TRACE log, a directory of these, tlparse output; "
            ".gz; - is "
            "stdin",
            "check everything in the inputs that can be checked", run_check},
    Command{"compare", Command::Takes::checks, 2, 2, "BEFORE AFTER",
            "a case, an FX graph text or a .pt2 each", "does AFTER mean what BEFORE means?", run_compare},
    Command{"advise", Command::Takes::advise, 1, kMany, "INPUT", "as for check",
            "check, and name steps that could safely have run in place, with bytes", run_advise},
    Command{"trace", Command::Takes::reads, 1, kMany, "INPUT", "as for check",
            "print storages, views, steps and what they read and write", run_trace},
    Command{"extract", Command::Takes::extract, 1, kMany, "INPUT",
            "as for check, with --only if it holds several",
            "print one check of an input as a case, or as a script for PyTorch, on standard output",
            run_extract},
    Command{"explain", Command::Takes::nothing, 0, 1, "CODE",
            "a rule: NC001 or stale-read; without it all rules are listed",
            "what a rule means, an example, how to repair", run_explain},
    Command{"ops", Command::Takes::ask, 0, 0, "", "",
            "in the place of which operand the result of each operator may lie, and under which conditions",
            run_ops},
    Command{"reduce", Command::Takes::reduce, 1, 1, "CASE", "a case that is refuted or unknown",
            "the smallest case with the same finding, on standard output", run_reduce},
    Command{"diff", Command::Takes::checks, 2, 2, "OLD NEW", "an input, or the records of a run (--json)",
            "what a change introduced and fixed: exit code 1 for introduced findings", run_diff},
    Command{"bisect", Command::Takes::checks, 1, 1, "DIR", "what a frontend recorded, pass by pass",
            "name the first recorded pass that is refuted; passes that changed nothing are not shown",
            run_bisect},
    Command{"run", Command::Takes::launch, 1, kMany, "PROGRAM",
            "a program and its arguments, behind --: run -- python train.py",
            "run a program that compiles with PyTorch, and check what it compiled", run_program},
    Command{"baseline", Command::Takes::render, 1, kMany, "RECORDS", "what --json printed; - is stdin",
            "a baseline of what was found, to be completed with reasons, owners and dates", run_baseline},
    Command{"config", Command::Takes::all, 1, 1, "show", "the settings, and where each comes from",
            "what the command line, noclobber.toml and the defaults say", run_config},
    Command{"render", Command::Takes::render, 1, kMany, "RECORDS", "what --json printed; - is stdin",
            "show the records of a run in another form, on standard output", run_render},
    Command{"replay", Command::Takes::replay, 1, kMany, "RECORDS", "what --json printed; - is stdin",
            "run the witnesses of findings again: exit code 1 if one still shows, 0 if none does",
            run_replay},
    Command{"fuzz", Command::Takes::fuzz, 0, 0, "", "",
            "check random programs and compare the verdicts with runs, engines and certificates", run_fuzz},
    Command{"completions", Command::Takes::nothing, 1, 1, "bash|zsh|fish", "the shell",
            "a script that completes commands, options and their values in a shell", run_completions},
};

}  // namespace

std::span<const Command> command_table() { return kCommands; }

}  // namespace noclobber
