// One libFuzzer program for all readers: fuzz_readers --reader=pte CORPUS... (NC_READER does as well).
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "checker/text/hash.h"
#include "tests/support/readers.h"

namespace {
const noclobber::testing::Reader* chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const char* wish = std::getenv("NC_READER");
  std::string name = wish != nullptr ? wish : "case";
  for (int k = 1; k < *argc; ++k)
    if (const std::string word = (*argv)[k]; word.rfind("--reader=", 0) == 0) name = word.substr(9);
  chosen = noclobber::testing::find_reader(name);
  if (chosen != nullptr) return 0;
  std::cerr << "fuzz_readers: no reader is called " << name << "\n";
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (chosen->name == "certificate") {  // its hash is put right: what stands behind it is worth reaching
    const std::size_t last = bytes.rfind("\nsum ");
    bytes.resize(last == std::string::npos ? bytes.size() : last + 1);
    bytes += "sum " + noclobber::checksum(bytes) + "\n";
  }
  static_cast<void>(chosen->text(bytes));
  return 0;
}
