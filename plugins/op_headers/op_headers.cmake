# Headers of operators, generated: ge::op::<type> and ge::es::<type> for every row of the table.
find_program(OPENATC_BUILD_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(OPENATC_BUILD_PYTHON NAMES python3 REQUIRED)
set(openatc_op_headers ${CMAKE_BINARY_DIR}/op_headers)
add_custom_command(
  OUTPUT ${openatc_op_headers}/written
  COMMAND ${OPENATC_BUILD_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/generate.py ${CMAKE_CURRENT_LIST_DIR}/ascendir.tsv
          ${openatc_op_headers}
  COMMAND ${CMAKE_COMMAND} -E touch ${openatc_op_headers}/written
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/generate.py ${CMAKE_CURRENT_LIST_DIR}/ascendir.tsv)
add_custom_target(op_headers ALL DEPENDS ${openatc_op_headers}/written)

# Where builds of a pass look for them: classes beside the built-in operators, functions beside the graph builders.
install(DIRECTORY ${openatc_op_headers}/op_proto/ DESTINATION opp/built-in/op_proto/inc)
install(DIRECTORY ${openatc_op_headers}/op_proto/ DESTINATION include)
install(DIRECTORY ${openatc_op_headers}/es/ DESTINATION include/es)
