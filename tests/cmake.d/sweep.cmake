# Many inputs and seeds, run anywhere and more than once.
if(TARGET noclobber)
  add_test(NAME sweep COMMAND ${Python3_EXECUTABLE} tests/sweep_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(sweep PROPERTIES LABELS cli TIMEOUT 600 ENVIRONMENT "NOCLOBBER_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()
