# Cases of the ONNX backend suites, run by one program that reports each by name.
add_executable(backend_runner test/backend_cases/backend_runner.cc test/backend_cases/case.cc
                              test/backend_cases/compare.cc test/backend_cases/device_route.cc
                              test/backend_cases/route.cc
                              $<TARGET_OBJECTS:kernels> $<TARGET_OBJECTS:onednn> $<TARGET_OBJECTS:runtime>
                              $<TARGET_OBJECTS:executor>)
target_include_directories(backend_runner PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(backend_runner PRIVATE openatc fmt::fmt CLI11::CLI11 DNNL::dnnl PkgConfig::HWY OpenMP::OpenMP_CXX
                                             Threads::Threads)

# Debian's libonnx-testdata (ONNX 1.12). The number and the list show what was broken; neither is a golden value.
add_test(NAME "backend_cases: debian"
  COMMAND ${CMAKE_SOURCE_DIR}/test/backend_cases/run_suite.sh $<TARGET_FILE:backend_runner> debian)
# The newest suite, from the corpus.
add_test(NAME "backend_cases: newest"
  COMMAND ${CMAKE_SOURCE_DIR}/test/backend_cases/run_suite.sh $<TARGET_FILE:backend_runner> newest)
set_tests_properties("backend_cases: debian" "backend_cases: newest"
  PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: " TIMEOUT 1200 LABELS slow)
