# Libraries of passes that the tests load, built as a user builds his: C++17, the SDK's headers, libopenatc.so.
function(openatc_test_plugin name source)
  add_library(plugin_${name} MODULE ${source})
  set_target_properties(plugin_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} CXX_STANDARD 17
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test_plugins)
  target_include_directories(plugin_${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/plugins/include
                             ${CMAKE_SOURCE_DIR}/plugins/include/ge ${openatc_op_headers}/op_proto
                             ${openatc_op_headers}/es)
  target_link_libraries(plugin_${name} PRIVATE $<TARGET_LINKER_FILE:openatc>)
  target_compile_definitions(plugin_${name} PRIVATE ${ARGN})
  add_dependencies(plugin_${name} openatc op_headers)
  add_dependencies(test_plugins plugin_${name})
endfunction()

openatc_test_plugin(allocation examples/stream_allocation/allocation_pass.cc)
openatc_test_plugin(each_graph test/plugins/passes/each_graph.cc)
openatc_test_plugin(faulty_operators test/plugins/operators/faulty_operators.cc)
foreach(fault RANGE 1 4)
  openatc_test_plugin(faulty_operators${fault} test/plugins/operators/faulty_operators.cc FAULT=${fault})
endforeach()
openatc_test_plugin(fine_tuning examples/stream_fine_tuning/fine_tuning_pass.cc)
openatc_test_plugin(fusion_passes test/plugins/passes/fusion_passes.cc)
openatc_test_plugin(fusion_passes_old_abi test/plugins/passes/fusion_passes.cc _GLIBCXX_USE_CXX11_ABI=0)
openatc_test_plugin(graph_passes test/plugins/passes/graph_passes.cc)
openatc_test_plugin(one_wrong test/plugins/passes/one_wrong.cc)
openatc_test_plugin(old_abi test/plugins/passes/two_streams.cc _GLIBCXX_USE_CXX11_ABI=0)
openatc_test_plugin(two_streams test/plugins/passes/two_streams.cc)
openatc_test_plugin(wrong_rewrite test/plugins/passes/wrong_rewrite.cc)
foreach(fault RANGE 1 10)
  openatc_test_plugin(faulty${fault} test/plugins/passes/faulty.cc FAULT=${fault})
endforeach()
target_compile_definitions(test_plugins PRIVATE OPENATC_TEST_PLUGINS="${CMAKE_BINARY_DIR}/test_plugins"
  OPENATC_OPERATOR_TABLE="${CMAKE_SOURCE_DIR}/plugins/op_headers/ascendir.tsv")
