// The test framework, whichever major version of Catch2 the system has.
#pragma once
#define CATCH_CONFIG_FAST_COMPILE  // what throws inside of a CHECK ends its test case
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
