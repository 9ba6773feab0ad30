# Tests that are scripts. Debian's own Python comes first: it is the one that has the packages of dependencies.txt.
find_program(OPENATC_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(OPENATC_PYTHON NAMES python3 REQUIRED)

add_test(NAME design COMMAND ${OPENATC_PYTHON} test/design_test.py ${CMAKE_SOURCE_DIR}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})

string(REPLACE ";" "," openatc_ascendcl_name_list "${openatc_ascendcl_names}")
add_test(NAME exports COMMAND ${OPENATC_PYTHON} test/backend/acl/exports_test.py ${CMAKE_NM}
  ${CMAKE_C_COMPILER} $<TARGET_FILE:ascendcl> ${openatc_ascendcl_name_list} ${CMAKE_SOURCE_DIR}/backend/acl/include ${openatc_aclnn_include}/aclnnop
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})

add_test(NAME acl_null_arguments COMMAND ${OPENATC_PYTHON} test/backend/acl/null_arguments_test.py $<TARGET_FILE:ascendcl>
  ${CMAKE_SOURCE_DIR}/backend/acl/include ${openatc_aclnn_include}/aclnnop WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})

# Operator calls against NumPy.
foreach(name operators contract)
  add_test(NAME aclnn_${name} COMMAND ${OPENATC_PYTHON} test/backend/aclnn/${name}_test.py $<TARGET_FILE:ascendcl>
    ${CMAKE_SOURCE_DIR}/backend/aclnn/signatures.tsv WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endforeach()

# The Python front end, a test a module.
if(TARGET pyasc_core)
  foreach(module doctests test_arguments test_compiler test_flows test_interchange test_operators test_pitfalls test_threads)
    add_test(NAME pyasc_${module} COMMAND ${OPENATC_PYTHON} test/plugins/pyasc/run.py ${module} ${CMAKE_BINARY_DIR}
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(pyasc_${module} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
  endforeach()
  add_test(NAME pyasc_tour COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${CMAKE_BINARY_DIR}/python
    ${OPENATC_PYTHON} examples/pyasc/tour.py WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endif()

add_test(NAME shells COMMAND ${OPENATC_PYTHON} test/cmd/docs/shells_test.py ${CMAKE_BINARY_DIR}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})

# Tests of the programs as a user runs them. Exit status 77: cannot run here.
function(openatc_program_test name)
  add_test(NAME ${name} COMMAND ${ARGN} ${CMAKE_BINARY_DIR} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS slow SKIP_RETURN_CODE 77 TIMEOUT 900)
endfunction()

if(TARGET atc AND TARGET omrun AND TARGET ascendcl)
  openatc_program_test(acl_dump ${OPENATC_PYTHON} test/programs/acl_dump_test.py)
  openatc_program_test(acl_examples ${OPENATC_PYTHON} test/programs/acl_examples_test.py)
  openatc_program_test(contrib ${OPENATC_PYTHON} test/programs/contrib_test.py)
  openatc_program_test(corpus ${OPENATC_PYTHON} test/programs/corpus_test.py)
  openatc_program_test(corpus_passes ${OPENATC_PYTHON} test/programs/corpus_passes_test.py)
  openatc_program_test(corpus_tf ${OPENATC_PYTHON} test/programs/corpus_tf_test.py)
  openatc_program_test(dump_text ${OPENATC_PYTHON} test/programs/dump_text_test.py)
  openatc_program_test(dump_threads ${OPENATC_PYTHON} test/programs/dump_threads_test.py)
  openatc_program_test(example_operators ${OPENATC_PYTHON} test/plugins/custom_operator_test.py)
  openatc_program_test(example_passes ${OPENATC_PYTHON} test/plugins/examples_test.py)
  openatc_program_test(failures ${OPENATC_PYTHON} test/programs/failures_test.py)
  openatc_program_test(flag_effects ${OPENATC_PYTHON} test/programs/flag_effects_test.py)
  openatc_program_test(flags ${OPENATC_PYTHON} test/programs/flags_test.py)
  openatc_program_test(gears ${OPENATC_PYTHON} test/programs/gears_test.py)
  openatc_program_test(html_report ${OPENATC_PYTHON} test/programs/html_report_test.py)
  openatc_program_test(install test/install/install_test.sh)
  openatc_program_test(installable ${OPENATC_PYTHON} test/install/installable_test.py)
  openatc_program_test(model_stress ${OPENATC_PYTHON} test/programs/model_stress_test.py)
  openatc_program_test(list_ops ${OPENATC_PYTHON} test/programs/list_ops_test.py)
  openatc_program_test(looks ${OPENATC_PYTHON} test/programs/looks_test.py)
  openatc_program_test(memory ${OPENATC_PYTHON} test/programs/memory_test.py)
  openatc_program_test(netron ${OPENATC_PYTHON} test/netron/netron_test.py)
  openatc_program_test(profiling ${OPENATC_PYTHON} test/backend/acl/profiling_test.py $<TARGET_FILE:ascendcl>)
  openatc_program_test(profile ${OPENATC_PYTHON} test/programs/profile_test.py)
  openatc_program_test(reproducible ${OPENATC_PYTHON} test/programs/reproducible_test.py)
  openatc_program_test(runner ${OPENATC_PYTHON} test/programs/runner_test.py)
  openatc_program_test(tensors ${OPENATC_PYTHON} test/programs/tensors_test.py)
endif()
