#include "src/cli/app.h"

#ifdef NC_MIMALLOC
#include <mimalloc.h>
#endif

int main(int argc, char** argv) {
#ifdef NC_MIMALLOC
  mi_option_set_default(mi_option_decommit_delay,
                        0);  // what was freed is given back at once: a fifth of the peak
#endif
  return noclobber::run_app(argc, argv);
}
