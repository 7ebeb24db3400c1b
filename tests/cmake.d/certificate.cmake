# nc-check as users run it.
if(TARGET noclobber AND TARGET nc-check)
  add_test(NAME certificate COMMAND ${Python3_EXECUTABLE} tests/certificate_test.py
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(certificate PROPERTIES LABELS cli TIMEOUT 600
    ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()
