# Libraries under the names that builds of passes link: each holds nothing but a need for libopenatc.so.
set(openatc_thin_libraries
  eager_style_graph_builder
  eager_style_graph_builder_base
  es_all
  es_math
  es_nn
  ge_common
  ge_common_base
  ge_compiler
  ge_runner
  graph
  graph_base
  metadef
  register)
set(openatc_thin_source ${CMAKE_BINARY_DIR}/generated/thin_library.c)
file(WRITE ${openatc_thin_source} "/* Nothing of its own. */\nextern int openatc_thin_library;\n")
foreach(library ${openatc_thin_libraries})
  set(target thin_${library})
  add_library(${target} SHARED ${openatc_thin_source})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${library} BUILD_RPATH "$ORIGIN/.." INSTALL_RPATH "$ORIGIN"
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/thin)
  target_link_options(${target} PRIVATE -Wl,--no-as-needed)
  target_link_libraries(${target} PRIVATE $<TARGET_LINKER_FILE:openatc>)
  add_dependencies(${target} openatc)
  install(TARGETS ${target} LIBRARY DESTINATION lib64)
endforeach()
