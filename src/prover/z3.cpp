// The only file that includes Z3. It is a module of its own, loaded at the first question.
#include <z3++.h>

#include <cstdint>
#include <cstring>
#include <string>

extern "C" {

/// "z3 5.4.0".
const char* nc_z3_version() {
  static const std::string text = [] {
    unsigned major = 0, minor = 0, build = 0, revision = 0;
    Z3_get_version(&major, &minor, &build, &revision);
    return "z3 " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
  }();
  return text.c_str();
}

/// Makes the context of a sequence of questions; nullptr if that fails.
void* nc_z3_open() try { return new z3::context; } catch (...) {
  return nullptr;
}
void nc_z3_close(void* context) { delete static_cast<z3::context*>(context); }

/// 1: unsat. 2: sat, with lines "name value" of the integer constants in `model`. 0: no answer.
int nc_z3_check(void* opened, const char* script, std::uint64_t rlimit, char* model, std::size_t room) try {
  z3::context& context = *static_cast<z3::context*>(opened);
  z3::solver solver(context, z3::solver::simple());
  z3::params params(context);
  params.set("rlimit", static_cast<unsigned>(rlimit));
  params.set("timeout", 60000U);  // a watchdog for old versions that ignore rlimit; it only costs an answer
  params.set("ctrl_c", false);    // the program has its own handler: two threads would restore each other's
  solver.set(params);
  solver.from_string(script);
  const z3::check_result said = solver.check();
  if (said == z3::unsat) return 1;
  if (said != z3::sat) return 0;
  const z3::model found = solver.get_model();
  std::string text;
  for (unsigned k = 0; k < found.num_consts(); ++k) {
    const z3::func_decl constant = found.get_const_decl(k);
    std::int64_t value = 0;
    if (constant.range().is_int() && found.get_const_interp(constant).is_numeral_i64(value))
      text += constant.name().str() + " " + std::to_string(value) + "\n";
  }
  if (text.size() + 1 > room) text.clear();
  std::memcpy(model, text.c_str(), text.size() + 1);
  return 2;
} catch (...) {  // a failed engine has not answered
  return 0;
}
}
