# The public C headers are to compile in the languages of their users: compiling is the test.
add_library(acl_headers OBJECT test/backend/acl/headers_c99.c test/backend/acl/headers_cxx17.cc)
set_target_properties(acl_headers PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF CXX_STANDARD 17)
target_compile_options(acl_headers PRIVATE -Wpedantic -Werror)
target_include_directories(acl_headers PRIVATE ${CMAKE_SOURCE_DIR}/backend/acl/include ${openatc_aclnn_include})
add_dependencies(acl_headers aclnn_headers)

# And each by itself, as a program may include it alone; openatc_kernel.h is for C++.
file(GLOB acl_public_headers RELATIVE ${CMAKE_SOURCE_DIR}/backend/acl/include CONFIGURE_DEPENDS
     ${CMAKE_SOURCE_DIR}/backend/acl/include/acl/*.h)
foreach(header IN LISTS acl_public_headers)
  string(MAKE_C_IDENTIFIER ${header} name)
  set(alone ${CMAKE_BINARY_DIR}/generated/alone_${name}.c)
  if(header STREQUAL "acl/openatc_kernel.h")
    string(APPEND alone c)
  endif()
  file(CONFIGURE OUTPUT ${alone} CONTENT "#include \"${header}\"\nint alone_${name};\n" @ONLY)
  target_sources(acl_headers PRIVATE ${alone})
endforeach()

# The API without an executor: models are the tests' own; the form of values and of bundles is all that is needed besides.
target_sources(test_backend_acl PRIVATE backend/executor/bundle.cc backend/executor/value_codec.cc)

# Kernels that a test launches.
add_library(test_launched_kernels MODULE test/backend/acl/launched_kernels.cc)
target_include_directories(test_launched_kernels PRIVATE ${CMAKE_SOURCE_DIR}/backend/acl/include)
add_dependencies(test_backend_acl test_launched_kernels)
target_compile_definitions(test_backend_acl PRIVATE OPENATC_TEST_KERNELS="$<TARGET_FILE:test_launched_kernels>")
# The kernels ask the program that launches them for their block.
target_link_options(test_backend_acl PRIVATE -rdynamic)
