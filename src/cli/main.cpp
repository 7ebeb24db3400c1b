#include "src/cli/app.h"

#ifdef NC_MIMALLOC
#include <mimalloc.h>
#endif

int main(int argc, char** argv) {
#ifdef NC_MIMALLOC
  // What was freed is given back after a while: at once costs a quarter of the time, as the next check asks
  // for the same again.
  mi_option_set_default(mi_option_decommit_delay, 100);
  // Pages of 2 MB, where the system lets who asks have them: a check touches new memory all the time, and a
  // seventh of it went into faults of pages of 4 kB. The first segment of a thread is no exception.
  mi_option_set_default(mi_option_large_os_pages, 1);
  mi_option_set_default(mi_option_eager_commit_delay, 0);
#endif
  return noclobber::run_app(argc, argv);
}
