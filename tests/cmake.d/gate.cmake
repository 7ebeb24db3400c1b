# What is made of records: other forms, comparisons, runs again; the package around the program.
if(TARGET noclobber)
  foreach(name gate change formats baseline page gallery ci_recipes replay completions package)
    add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} tests/${name}_test.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS cli TIMEOUT 300
      ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  endforeach()
endif()
