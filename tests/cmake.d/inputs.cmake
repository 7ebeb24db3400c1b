# What files and folders hold, and what two files say about each other.
if(TARGET noclobber)
  add_test(NAME inputs COMMAND ${Python3_EXECUTABLE} tests/inputs_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(inputs PROPERTIES LABELS cli TIMEOUT 600
    ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()

# What frontends record.
if(TARGET noclobber)
  add_test(NAME recording COMMAND ${Python3_EXECUTABLE} tests/recording_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(recording PROPERTIES LABELS cli TIMEOUT 600
    ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()

# What plans leave out.
if(TARGET noclobber)
  add_test(NAME unplaced COMMAND ${Python3_EXECUTABLE} tests/unplaced_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(unplaced PROPERTIES LABELS cli TIMEOUT 600
    ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()
