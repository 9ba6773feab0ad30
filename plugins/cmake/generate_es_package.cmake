# add_es_library(ES_LINKABLE_AND_ALL_TARGET es_all OPP_PROTO_TARGET proto OUTPUT_PATH folder [EXCLUDE_OPS A,B])
#
# Lays the functions of the installed operators under folder/include/<target>, and makes a target of this name that a pass
# links. They are functions of headers, so nothing is built; what EXCLUDE_OPS names is left out.
set(_OPENATC_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../..")

function(add_es_library)
  cmake_parse_arguments(ES "" "ES_LINKABLE_AND_ALL_TARGET;OPP_PROTO_TARGET;OUTPUT_PATH;EXCLUDE_OPS" "" ${ARGN})
  foreach(argument ES_LINKABLE_AND_ALL_TARGET OUTPUT_PATH)
    if(NOT ES_${argument})
      message(FATAL_ERROR "add_es_library: ${argument} is missing")
    endif()
  endforeach()
  set(target ${ES_ES_LINKABLE_AND_ALL_TARGET})
  set(folder "${ES_OUTPUT_PATH}/include/${target}")
  file(MAKE_DIRECTORY "${folder}" "${ES_OUTPUT_PATH}/lib64")
  file(GLOB headers "${_OPENATC_PREFIX}/include/es/*.h")
  file(COPY ${headers} DESTINATION "${folder}")
  string(REPLACE "," ";" excluded "${ES_EXCLUDE_OPS}")
  foreach(operator IN LISTS excluded)
    file(WRITE "${folder}/es_${operator}.h" "// Left out.\n#pragma once\n")
  endforeach()
  add_library(${target} INTERFACE)
  target_include_directories(${target} INTERFACE "${folder}" "${_OPENATC_PREFIX}/include"
                                                 "${_OPENATC_PREFIX}/include/ge")
  find_library(_OPENATC_LIBRARY openatc PATHS "${_OPENATC_PREFIX}/lib64" NO_DEFAULT_PATH REQUIRED)
  target_link_libraries(${target} INTERFACE "${_OPENATC_LIBRARY}")
endfunction()

# A wheel of Python functions is not made.
function(add_es_library_and_whl)
  add_es_library(${ARGN})
endfunction()
