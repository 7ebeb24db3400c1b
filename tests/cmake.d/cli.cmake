# The program as users run it: exit codes, streams, hostile input.
if(TARGET noclobber)
  add_test(NAME cli COMMAND ${Python3_EXECUTABLE} tests/cli_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(cli PROPERTIES LABELS cli TIMEOUT 600
    ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()

# What must not be lost: full disks, Ctrl-C, crashes.
if(TARGET noclobber)
  add_test(NAME lost COMMAND ${Python3_EXECUTABLE} tests/lost_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(lost PROPERTIES LABELS cli TIMEOUT 600
    ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()

# Fingerprints and words of findings.
if(TARGET noclobber)
  add_test(NAME words COMMAND ${Python3_EXECUTABLE} tests/words_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(words PROPERTIES LABELS cli TIMEOUT 600
    ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()
