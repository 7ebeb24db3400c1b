#include <string_view>

#include "src/cli/app.h"

#ifdef NC_MIMALLOC
#include <mimalloc.h>
#endif

int main(int argc, char** argv) {
#ifdef NC_MIMALLOC
  // What was freed is given back at once: a fifth of the peak. A campaign asks for the same memory again, a
  // thousand times a second.
  if (argc < 2 || argv[1] != std::string_view("fuzz")) mi_option_set_default(mi_option_decommit_delay, 0);
#endif
  return noclobber::run_app(argc, argv);
}
