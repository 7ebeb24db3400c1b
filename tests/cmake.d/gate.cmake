# What is made of records.
if(TARGET noclobber)
  add_test(NAME gate COMMAND ${Python3_EXECUTABLE} tests/gate_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(gate PROPERTIES LABELS cli TIMEOUT 300
    ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()
