#include "src/cli/app.h"

#ifdef NC_MIMALLOC
#include <mimalloc.h>
#endif

int main(int argc, char** argv) {
#ifdef NC_MIMALLOC
  // Return freed memory to the system after 100 ms. Returning it at once costs a quarter of the run time,
  // since the next check allocates the same again.
  mi_option_set_default(mi_option_decommit_delay, 100);
  // Use pages of 2 MB if the system provides them on request, also for the first segment of a thread. A check
  // touches new memory all the time, and a seventh of its time went into page faults of 4 kB pages.
  mi_option_set_default(mi_option_large_os_pages, 1);
  mi_option_set_default(mi_option_eager_commit_delay, 0);
#endif
  return noclobber::run_app(argc, argv);
}
