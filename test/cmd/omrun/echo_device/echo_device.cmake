# The library of echo_device.cc, the test's way to run the program on it, and both as what the test needs built.
add_library(echo_device MODULE test/cmd/omrun/echo_device/echo_device.cc)
target_include_directories(echo_device PRIVATE backend/acl/include)
set_target_properties(echo_device PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test)
target_compile_definitions(test_cmd_omrun PRIVATE OMRUN_PROGRAM="$<TARGET_FILE:omrun>"
                                                  ECHO_DEVICE="$<TARGET_FILE:echo_device>")
add_dependencies(test_cmd_omrun omrun echo_device)
