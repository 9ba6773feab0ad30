# Cases of the ONNX backend suites, run by one program that reports each by name.
add_executable(backend_runner test/backend_cases/backend_runner.cc test/backend_cases/apart.cc test/backend_cases/case.cc
                              test/backend_cases/compare.cc test/backend_cases/device_route.cc
                              test/backend_cases/exempt.cc test/backend_cases/on_device.cc
                              test/backend_cases/route.cc
                              $<TARGET_OBJECTS:kernels> $<TARGET_OBJECTS:onednn> $<TARGET_OBJECTS:runtime>
                              $<TARGET_OBJECTS:executor>)
target_include_directories(backend_runner PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(backend_runner PRIVATE openatc fmt::fmt CLI11::CLI11 DNNL::dnnl PkgConfig::HWY OpenMP::OpenMP_CXX
                                             Threads::Threads)

# Debian's libonnx-testdata (ONNX 1.12) and the newest suite, from the corpus. The numbers and lists of expect_*.txt show
# what was broken; they are no golden values.
foreach(suite debian newest)
  foreach(route graph om)
    set(name "backend_cases: ${suite}")
    if(route STREQUAL "om")
      string(APPEND name " via om")
    endif()
    add_test(NAME "${name}"
      COMMAND ${CMAKE_SOURCE_DIR}/test/backend_cases/run_suite.sh $<TARGET_FILE:backend_runner> ${suite} ${route})
    set_tests_properties("${name}" PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: " TIMEOUT 1200 LABELS slow)
  endforeach()
endforeach()

# Wrong models made of these cases.
add_executable(mutation_runner test/backend_cases/mutation_runner.cc test/backend_cases/mutations.cc
                               test/backend_cases/generated_samples.cc
                               test/backend_cases/case.cc test/backend_cases/compare.cc
                               test/backend_cases/device_route.cc test/backend_cases/exempt.cc
                               test/backend_cases/on_device.cc
                               test/backend_cases/route.cc
                               $<TARGET_OBJECTS:kernels> $<TARGET_OBJECTS:onednn> $<TARGET_OBJECTS:runtime>
                               $<TARGET_OBJECTS:executor>)
target_include_directories(mutation_runner PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(mutation_runner PRIVATE openatc fmt::fmt CLI11::CLI11 DNNL::dnnl PkgConfig::HWY
                                              OpenMP::OpenMP_CXX Threads::Threads onnx_proto protobuf::libprotobuf)
foreach(part RANGE 0 3)
  add_test(NAME "wrong models, part ${part}"
    COMMAND mutation_runner --part ${part} --parts 4 /usr/share/libonnx-testdata/data)
  set_tests_properties("wrong models, part ${part}" PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: " TIMEOUT 600 LABELS slow)
endforeach()
# And of models made from the table of signatures; "mutation_runner --generated" runs all of them.
add_test(NAME "wrong models, generated" COMMAND mutation_runner --generated --every 3)
set_tests_properties("wrong models, generated" PROPERTIES TIMEOUT 600 LABELS slow)

# Graphs of several cases under all sorts of passes. The whole run is pass_runs.sh.
add_executable(pass_runner test/backend_cases/pass_runner.cc test/backend_cases/apart.cc test/backend_cases/case_mix.cc test/backend_cases/case.cc
                           test/backend_cases/compare.cc test/backend_cases/exempt.cc
                           test/backend_cases/written_cases.cc)
target_include_directories(pass_runner PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(pass_runner PRIVATE openatc fmt::fmt CLI11::CLI11 onnx onnx_proto protobuf::libprotobuf)
set(pass_runner_data ${CMAKE_SOURCE_DIR}/test/backend_cases/exempt.txt
                     --written ${CMAKE_SOURCE_DIR}/test/backend_cases/written_cases.txt /usr/share/libonnx-testdata/data)
add_test(NAME "passes on graphs of all operators" COMMAND pass_runner --complete --exempt ${pass_runner_data})
add_test(NAME "passes on graphs of all operators, fp16" COMMAND pass_runner --fp16 --every 3 --exempt ${pass_runner_data})
add_test(NAME "passes on graphs of all operators, open shapes" COMMAND pass_runner --open --every 3 --exempt ${pass_runner_data})
foreach(which "" ", fp16" ", open shapes")
  set_tests_properties("passes on graphs of all operators${which}" PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: " TIMEOUT 600)
endforeach()
