# What a call is, by what the Trace says of it.
if(TARGET noclobber)
  add_test(NAME keys COMMAND ${Python3_EXECUTABLE} tests/keys_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(keys PROPERTIES LABELS cli TIMEOUT 300
    ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()
