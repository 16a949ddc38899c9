# SPDX-License-Identifier: BSD-3-Clause
# cmake --install: the programs, and the model as a component: find_package(tlmssd), tlmssd::ssd.
# docs/guides/component.md. Read last: all modules and RTL controllers have to be there.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# tlmssd_archives(variable target): the static libraries of this build that `target` needs, it first.
function(tlmssd_archives variable target)
  set(found ${${variable}})
  if(NOT TARGET ${target})
    return()
  endif()
  get_target_property(imported ${target} IMPORTED)
  if(imported OR "${target}" IN_LIST found)
    return()
  endif()
  list(APPEND found ${target})
  foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
    get_target_property(needs ${target} ${property})
    foreach(need ${needs})
      tlmssd_archives(found ${need})
    endforeach()
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

set(reached)
tlmssd_archives(reached tlmssd_ssd)
set(archives)
foreach(target ${reached})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND archives ${target})
  endif()
endforeach()

# One archive of all of them: whoever links it need not know modules, nor their order.
set(bundle ${CMAKE_BINARY_DIR}/lib/libtlmssd.a)
set(script "CREATE ${bundle}\n")
foreach(target ${archives})
  string(APPEND script "ADDLIB $<TARGET_FILE:${target}>\n")
endforeach()
string(APPEND script "SAVE\nEND\n")
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/libtlmssd.mri CONTENT "${script}")
add_custom_command(OUTPUT ${bundle}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/lib
  COMMAND ${CMAKE_COMMAND} -E rm -f ${bundle}
  COMMAND ${CMAKE_AR} -M < ${CMAKE_BINARY_DIR}/generated/libtlmssd.mri
  DEPENDS ${archives} ${CMAKE_BINARY_DIR}/generated/libtlmssd.mri
  COMMENT "Joining the modules to libtlmssd.a" VERBATIM)
add_custom_target(tlmssd_component ALL DEPENDS ${bundle})

install(TARGETS tlmssd RUNTIME)
install(FILES ${bundle} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/models/ssd/include/tlmssd/ssd_ahci.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tlmssd)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/tlmssd)
# What the program looks for beside itself, where this build has it.
foreach(part tlmssd_iss_unicorn tlmssd_nbdkit)
  if(TARGET ${part})
    install(FILES $<TARGET_FILE:${part}> DESTINATION lib)
  endif()
endforeach()
if(TARGET tlmssd_fw_rv32)
  install(FILES ${CMAKE_BINARY_DIR}/firmware/tlmssd_fw_rv32.elf
    DESTINATION lib/tlmssd)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tlmssdConfig.cmake.in
  ${CMAKE_BINARY_DIR}/generated/tlmssdConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tlmssd
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/tlmssdConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/tlmssdConfig.cmake
  ${CMAKE_BINARY_DIR}/generated/tlmssdConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tlmssd)
