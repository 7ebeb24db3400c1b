#include "src/cli/app.h"

#ifdef NC_MIMALLOC
#include <mimalloc.h>
#endif

int main(int argc, char** argv) {
#ifdef NC_MIMALLOC
  // What was freed is given back after a while: at once costs a quarter of the time, as the next check asks
  // for the same again.
  mi_option_set_default(mi_option_decommit_delay, 100);
#endif
  return noclobber::run_app(argc, argv);
}
