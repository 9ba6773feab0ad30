# What is built for users, and where `cmake --install build --prefix P` puts it:
#   P/bin  P/lib64  P/include  P/opp  P/set_env.sh
# and links to lib64 and include in P/compiler and P/<arch>-linux, where builds of passes may look, and as P/devlib, where
# builds of programs look for libraries to link.
# Programs find their libraries from their own place, ../lib in the build folder and ../lib64 when installed, and
# before LD_LIBRARY_PATH (hence no new dtags): a CANN toolkit set up in the shell has a libascendcl.so too.
set(openatc_programs atc omrun)
set(openatc_libraries openatc ascendcl)

add_custom_target(installable)
if(TARGET pyasc_core)
  add_dependencies(installable pyasc_core)
endif()
foreach(target ${openatc_programs} ${openatc_libraries})
  if(TARGET ${target})
    add_dependencies(installable ${target})
  endif()
endforeach()

foreach(target ${openatc_programs})
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES BUILD_RPATH "$ORIGIN/../lib" INSTALL_RPATH "$ORIGIN/../lib64")
    target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
    install(TARGETS ${target} RUNTIME DESTINATION bin)
  endif()
endforeach()
foreach(target ${openatc_libraries})
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
    install(TARGETS ${target} LIBRARY DESTINATION lib64)
  endif()
endforeach()

# The C headers of the API, and those that a plugin includes.
foreach(folder backend/acl/include plugins/include)
  if(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder}/ DESTINATION include FILES_MATCHING PATTERN "*.h")
  endif()
endforeach()

install(DIRECTORY ${openatc_aclnn_include}/aclnnop DESTINATION include)
foreach(name ${openatc_ascendcl_names})
  add_dependencies(installable ascendcl_${name})
endforeach()

install(DIRECTORY plugins/cmake/ DESTINATION include/ge/cmake)

# Other places where builds look for the same: those of older and of split toolkits.
install(CODE [[
  function(openatc_link place to)
    get_filename_component(folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${place}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    file(CREATE_LINK "${to}" "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${place}" SYMBOLIC)
  endfunction()
  openatc_link(compiler/include ../include)
  openatc_link(compiler/lib64 ../lib64)
  openatc_link(devlib lib64)
]])
install(CODE "openatc_link(${CMAKE_SYSTEM_PROCESSOR}-linux/include ../include)
  openatc_link(${CMAKE_SYSTEM_PROCESSOR}-linux/lib64 ../lib64)")

install(FILES cmd/install/set_env.sh DESTINATION .)
install(FILES cmd/install/opp_README.md DESTINATION opp RENAME README.md)
install(DIRECTORY DESTINATION opp/vendors)

# What is installed from the build folder besides.
add_dependencies(installable op_headers)
foreach(library ${openatc_thin_libraries})
  add_dependencies(installable thin_${library})
endforeach()

# Man pages and completions; man and bash find them from the PATH that set_env.sh gives.
add_dependencies(installable documents)
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/ DESTINATION share)
