#include "src/cli/app.h"

int main(int argc, char** argv) { return noclobber::run_app(argc, argv); }
