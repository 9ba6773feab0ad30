# find_package(GenerateEsPackage): functions that make ge::es::<type> of libraries of operators.
include("${CMAKE_CURRENT_LIST_DIR}/generate_es_package.cmake")
set(GenerateEsPackage_FOUND TRUE)
