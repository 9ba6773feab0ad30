# Tests that are scripts. Debian's own Python comes first: it is the one that has the packages of dependencies.txt.
find_program(OPENATC_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(OPENATC_PYTHON NAMES python3 REQUIRED)

add_test(NAME design COMMAND ${OPENATC_PYTHON} test/design_test.py ${CMAKE_SOURCE_DIR}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
