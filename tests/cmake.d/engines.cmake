# Two engines that share no reasoning: nothing that both decide is decided differently.
if(TARGET noclobber AND TARGET nc_z3)
  add_test(NAME engines COMMAND ${Python3_EXECUTABLE} tools/engines.py WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(engines PROPERTIES LABELS corpus TIMEOUT 900
    ENVIRONMENT "NC_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()
