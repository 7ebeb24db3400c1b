#include "src/prover/solver.h"

#include <dlfcn.h>

#include <sstream>
#include <vector>

namespace noclobber {
namespace {

using Open = void* (*)();
using Close = void (*)(void*);
using Check = int (*)(void*, const char*, std::uint64_t, char*, std::size_t);
using Version = const char* (*)();

struct Module {
  Open open = nullptr;
  Close close = nullptr;
  Check check = nullptr;
  Version version = nullptr;
};

const Module& module() {
  static const Module loaded = [] {
    Module out;
    if (void* handle = dlopen("libnc_z3.so", RTLD_NOW | RTLD_LOCAL)) {
      out.open = reinterpret_cast<Open>(dlsym(handle, "nc_z3_open"));
      out.close = reinterpret_cast<Close>(dlsym(handle, "nc_z3_close"));
      out.check = reinterpret_cast<Check>(dlsym(handle, "nc_z3_check"));
      out.version = reinterpret_cast<Version>(dlsym(handle, "nc_z3_version"));
    }
    return out;
  }();
  return loaded;
}

}  // namespace

std::string solver_version() { return module().version != nullptr ? module().version() : ""; }

void Solver::Close::operator()(void* context) const { module().close(context); }

SolverAnswer Solver::ask(const std::string& script, std::uint64_t rlimit) {
  SolverAnswer out;
  if (module().check == nullptr) return out;
  if (!context_) context_.reset(module().open());
  if (!context_) return out;
  std::vector<char> model(1 << 16);
  const int said = module().check(context_.get(), script.c_str(), rlimit, model.data(), model.size());
  if (said == 0) context_.reset();  // an engine that gave up is not asked again
  if (said == 1) out.kind = SolverAnswer::Kind::unsat;
  if (said != 2) return out;
  out.kind = SolverAnswer::Kind::sat;
  std::istringstream lines(model.data());
  std::string name;
  std::int64_t value = 0;
  while (lines >> name >> value) out.model[name] = value;
  return out;
}

}  // namespace noclobber
