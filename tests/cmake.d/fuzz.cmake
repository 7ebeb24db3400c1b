# libFuzzer, in the preset `fuzz` alone: everything is compiled with coverage counters, so no more than readers
# need is.
option(NC_FUZZ "Build fuzz_readers (clang)" OFF)
if(NC_FUZZ)
  file(GLOB reader_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/base/*.cpp ${PROJECT_SOURCE_DIR}/src/graph/*.cpp
    ${PROJECT_SOURCE_DIR}/src/ops/*.cpp ${PROJECT_SOURCE_DIR}/src/kernels/*.cpp
    ${PROJECT_SOURCE_DIR}/src/text/*.cpp ${PROJECT_SOURCE_DIR}/src/formats/*/*.cpp ${PROJECT_SOURCE_DIR}/src/lower/*/*.cpp
    ${PROJECT_SOURCE_DIR}/src/inputs/*.cpp)
  add_executable(fuzz_readers EXCLUDE_FROM_ALL tests/fuzz/libfuzzer.cpp tests/support/readers.cpp ${reader_sources})
  nc_batches(fuzz_readers "" ${reader_sources})
  target_include_directories(fuzz_readers SYSTEM PRIVATE ${NC_ZIP_INCLUDE})
  target_link_libraries(fuzz_readers PRIVATE nc_checker ${NC_ZIP_LIB} fmt::fmt nlohmann_json::nlohmann_json
    Boost::headers ZLIB::ZLIB)
  target_link_options(fuzz_readers PRIVATE -fsanitize=fuzzer)
endif()
