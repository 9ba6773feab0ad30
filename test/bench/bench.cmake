# Benchmarks are built when asked for: ninja bench_scale.
add_executable(bench_scale EXCLUDE_FROM_ALL test/bench/scale.cc)
target_include_directories(bench_scale PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(bench_scale PRIVATE openatc)
