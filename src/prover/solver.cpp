#include "src/prover/solver.h"

#include <dlfcn.h>

#include <set>
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
  std::string fault;
};

#ifdef __APPLE__
constexpr const char* kModule = "@rpath/libnc_z3.so";  // macOS searches no RPATH for a bare name
#else
constexpr const char* kModule = "libnc_z3.so";
#endif

#ifdef __linux__
/// The folders in which dlopen looks for libraries, as "a, b, c".
std::string folders_of_libraries() {
  void* program = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size = {};
  if (program == nullptr || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return "";
  std::vector<char> memory(size.dls_size);
  auto* list = reinterpret_cast<Dl_serinfo*>(memory.data());
  if (dlinfo(program, RTLD_DI_SERINFOSIZE, list) != 0 || dlinfo(program, RTLD_DI_SERINFO, list) != 0)
    return "";
  std::set<std::string> seen;
  std::string out;
  for (unsigned k = 0; k < list->dls_cnt; ++k) {
    const std::string folder = list->dls_serpath[k].dls_name;
    if (seen.insert(folder).second) out += (out.empty() ? "" : ", ") + folder;
  }
  return out;
}
#else
std::string folders_of_libraries() { return ""; }  // dlerror() names them
#endif

/// The text of dlerror() names the missing file: the module itself, or libz3, which it needs.
std::string fault_of_loading() {
  const char* said = dlerror();
  const std::string fault = said != nullptr ? said : kModule;  // the next call of dlopen invalidates `said`
  const std::string folders = folders_of_libraries();
  return fault + (folders.empty() ? "" : "; looked for in " + folders);
}

const Module& module() {
  static const Module loaded = [] {
    Module out;
    void* handle = dlopen(kModule, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      out.fault = fault_of_loading();
    } else {
      out.open = reinterpret_cast<Open>(dlsym(handle, "nc_z3_open"));
      out.close = reinterpret_cast<Close>(dlsym(handle, "nc_z3_close"));
      out.check = reinterpret_cast<Check>(dlsym(handle, "nc_z3_check"));
      out.version = reinterpret_cast<Version>(dlsym(handle, "nc_z3_version"));
      if (out.open == nullptr || out.close == nullptr || out.check == nullptr || out.version == nullptr)
        out = {nullptr, nullptr, nullptr, nullptr, std::string(kModule) + " is not of this version"};
    }
    return out;
  }();
  return loaded;
}

}  // namespace

std::string solver_version() { return module().version != nullptr ? module().version() : ""; }

std::string solver_fault() { return module().fault; }

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
