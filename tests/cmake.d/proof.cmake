# Where Coq and OCaml are installed: the proofs, nc-recheck, and what it says of the corpus beside nc-check. `make recheck`
# lets coqchk check the proofs again, which takes longer.
find_program(NC_COQC coqc)
find_program(NC_OCAMLOPT ocamlopt)
if(NC_COQC AND NC_OCAMLOPT AND NOT NC_SANITIZE)
  add_test(NAME proof COMMAND tools/recheck.sh --quick WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(proof PROPERTIES LABELS proof TIMEOUT 900 FIXTURES_SETUP recheck)
  add_test(NAME proof.corpus COMMAND ${Python3_EXECUTABLE} tools/recheck_table.py --floor 98 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(proof.corpus PROPERTIES LABELS proof TIMEOUT 900 FIXTURES_REQUIRED recheck)
  add_test(NAME proof.logs COMMAND ${Python3_EXECUTABLE} tools/recheck_table.py --floor 99 corpus/logs WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(proof.logs PROPERTIES LABELS proof TIMEOUT 900 FIXTURES_REQUIRED recheck)
endif()
