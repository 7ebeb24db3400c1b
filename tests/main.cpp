// Compiled once for all tests: the framework itself (Catch2 2.x) and main.
#define CATCH_CONFIG_RUNNER
#include "tests/catch.h"

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
