# A program that is run with its compiler's traces recorded.
if(TARGET noclobber)
  add_test(NAME launch COMMAND ${Python3_EXECUTABLE} tests/launch_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(launch PROPERTIES LABELS cli TIMEOUT 300
    ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()
