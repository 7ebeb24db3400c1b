# What the pages say, run.
if(TARGET noclobber AND TARGET nc-check)
  add_test(NAME docs COMMAND ${Python3_EXECUTABLE} tests/docs_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(docs PROPERTIES LABELS cli TIMEOUT 300
    ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()
