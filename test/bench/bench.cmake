# Benchmarks are built when asked for: ninja bench_scale bench_convert.
foreach(name scale convert)
  add_executable(bench_${name} EXCLUDE_FROM_ALL test/bench/${name}.cc)
  target_include_directories(bench_${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(bench_${name} PRIVATE openatc)
endforeach()
