# pyasc, the Python front end: the extension module, with the package around it, in build/python.
# It is for the system's interpreter, which has NumPy as a Debian package, unless PYASC_PYTHON names another.
find_program(PYASC_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH DOC "The interpreter that pyasc is built for")
find_program(PYASC_PYTHON NAMES python3 REQUIRED)
set(PYBIND11_FINDPYTHON OFF)
set(PYTHON_EXECUTABLE ${PYASC_PYTHON})
find_package(pybind11 2.10 REQUIRED)

set(pyasc_build ${CMAKE_BINARY_DIR}/python/pyasc)
file(GLOB pyasc_core CONFIGURE_DEPENDS plugins/pyasc/core/*.cc)
pybind11_add_module(pyasc_core MODULE NO_EXTRAS ${pyasc_core})
set_target_properties(pyasc_core PROPERTIES
  OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${pyasc_build}
  BUILD_RPATH "$ORIGIN/../../lib"
  INSTALL_RPATH "$ORIGIN/../../../lib64:$ORIGIN")
target_include_directories(pyasc_core PRIVATE ${CMAKE_SOURCE_DIR} backend/acl/include plugins/include)
target_compile_definitions(pyasc_core PRIVATE OPENATC_VERSION="${PROJECT_VERSION}")
target_link_libraries(pyasc_core PRIVATE atc_parts openatc ascendcl fmt::fmt)
target_link_options(pyasc_core PRIVATE -Wl,--disable-new-dtags)

# The Python files are used where they are: links, so that a change needs no build.
file(GLOB pyasc_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/plugins/pyasc/pyasc/*.py
     ${CMAKE_SOURCE_DIR}/plugins/pyasc/pyasc/py.typed)
# The kinds of required attributes.
list(APPEND pyasc_files ${CMAKE_SOURCE_DIR}/plugins/op_headers/ascendir.tsv)
file(MAKE_DIRECTORY ${pyasc_build})
foreach(file ${pyasc_files})
  get_filename_component(name ${file} NAME)
  file(CREATE_LINK ${file} ${pyasc_build}/${name} SYMBOLIC)
endforeach()

# Type stubs are made of what was built.
add_custom_command(TARGET pyasc_core POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1
          ${PYASC_PYTHON} ${CMAKE_SOURCE_DIR}/plugins/pyasc/make_stubs.py ${CMAKE_BINARY_DIR}/python ${pyasc_build}/context.pyi
  VERBATIM)

# Beside the programs, where a toolkit has its Python packages; and as the one component of a wheel, with the libraries.
set(pyasc_site python/site-packages/pyasc)
if(SKBUILD)
  set(pyasc_site pyasc)
  install(TARGETS openatc ascendcl LIBRARY DESTINATION ${pyasc_site} COMPONENT pyasc)
endif()
install(TARGETS pyasc_core LIBRARY DESTINATION ${pyasc_site} COMPONENT pyasc)
install(FILES ${pyasc_files} ${pyasc_build}/context.pyi DESTINATION ${pyasc_site} COMPONENT pyasc)
