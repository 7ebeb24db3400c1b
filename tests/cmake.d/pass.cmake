# A pass under test: convicted where it is wrong. Copies that repair what it did.
if(TARGET noclobber)
  foreach(name pass repair fuzz_python)
    add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} tests/${name}_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS cli TIMEOUT 600
      ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  endforeach()
endif()
