# The stages whose growth is tested are built once more with a call at each basic block, so that steps can be counted:
# times would depend on the machine and on what else it does.
file(GLOB sources CONFIGURE_DEPENDS compiler/plan/*.cc compiler/streams/*.cc)
add_library(counted_stages OBJECT ${sources} ${CMAKE_BINARY_DIR}/generated/default_engines.cc)
target_include_directories(counted_stages PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
target_link_libraries(counted_stages PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
target_compile_options(counted_stages PRIVATE -O1 -fsanitize-coverage=trace-pc)
openatc_test(compiler/growth $<TARGET_OBJECTS:counted_stages>)
