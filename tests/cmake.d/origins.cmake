# The points of the four texts this project comes from.
if(TARGET noclobber)
  add_test(NAME origins COMMAND ${Python3_EXECUTABLE} tests/origins_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(origins PROPERTIES LABELS cli TIMEOUT 300
    ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()
