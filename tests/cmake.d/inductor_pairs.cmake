# Pairs of printed graphs as Inductor's passes leave them.
if(TARGET noclobber)
  add_test(NAME inductor_pairs COMMAND ${Python3_EXECUTABLE} tests/inductor_pairs_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(inductor_pairs PROPERTIES LABELS cli TIMEOUT 300
    ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()
