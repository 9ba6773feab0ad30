# The table of engines is compiled in, and installed as a file to start one's own from.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/engines.json)
file(READ ${CMAKE_CURRENT_LIST_DIR}/engines.json OPENATC_ENGINES_JSON)
configure_file(${CMAKE_CURRENT_LIST_DIR}/default_engines.cc.in ${CMAKE_BINARY_DIR}/generated/default_engines.cc @ONLY)
openatc_folder(streams compiler/streams nlohmann_json::nlohmann_json)
target_sources(streams PRIVATE ${CMAKE_BINARY_DIR}/generated/default_engines.cc)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/engines.json ${CMAKE_CURRENT_LIST_DIR}/engines.md DESTINATION opp/engines)
