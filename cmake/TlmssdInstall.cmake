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
  ${PROJECT_SOURCE_DIR}/models/ssd/include/tlmssd/ssd_nvme.h
  ${PROJECT_SOURCE_DIR}/models/ssd/include/tlmssd/ssd_observation.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tlmssd)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/tlmssd)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/waves DESTINATION ${CMAKE_INSTALL_DATADIR}/tlmssd)
# Completion of shells. bash and fish load a file of the program's name.
set(completion ${PROJECT_SOURCE_DIR}/scripts/completion)
foreach(program tlmssd tlmssd-lab tlmssd-tools)
  install(FILES ${completion}/tlmssd.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME ${program})
  install(FILES ${completion}/tlmssd.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    RENAME ${program}.fish)
endforeach()
install(FILES ${completion}/_tlmssd DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

# Man pages, from the help of the programs. That of the Python tools is made where they can be run.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(manual ${CMAKE_BINARY_DIR}/man/man1)
set(gen_man ${PROJECT_SOURCE_DIR}/scripts/gen/gen_man.py)
add_custom_command(OUTPUT ${manual}/tlmssd.1
  COMMAND Python3::Interpreter ${gen_man} tlmssd "model an SSD with its host, firmware, flash controller and NAND"
    ${manual}/tlmssd.1 $<TARGET_FILE:tlmssd>
  DEPENDS tlmssd ${gen_man} COMMENT "Writing the man page of tlmssd" VERBATIM)
set(pages ${manual}/tlmssd.1)
set(venv ${PROJECT_SOURCE_DIR}/.venv/bin/python)
set(no_lab 1)
if(EXISTS ${venv})
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_SOURCE_DIR}/scripts
    ${venv} -m tlmssd_lab.cli --version RESULT_VARIABLE no_lab OUTPUT_QUIET ERROR_QUIET)
endif()
if(NOT no_lab)
  file(GLOB lab CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scripts/tlmssd_lab/cli/*.py)
  add_custom_command(OUTPUT ${manual}/tlmssd-lab.1
    COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_SOURCE_DIR}/scripts ${venv} ${gen_man} tlmssd-lab
      "compare, sweep, fit and report runs of tlmssd" ${manual}/tlmssd-lab.1 ${venv} -m tlmssd_lab.cli
    DEPENDS ${gen_man} ${lab} COMMENT "Writing the man page of tlmssd-lab" VERBATIM)
  list(APPEND pages ${manual}/tlmssd-lab.1)
endif()
add_custom_target(tlmssd_man ALL DEPENDS ${pages})
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# What the program looks for beside itself, where this build has it.
foreach(part tlmssd_iss_unicorn tlmssd_nbdkit)
  if(TARGET ${part})
    install(FILES $<TARGET_FILE:${part}> DESTINATION lib)
  endif()
endforeach()
foreach(image tlmssd_fw_rv32 tlmssd_fw_x32)
  if(TARGET ${image})
    install(FILES ${CMAKE_BINARY_DIR}/firmware/${image}.elf DESTINATION lib/tlmssd)
  endif()
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tlmssdConfig.cmake.in
  ${CMAKE_BINARY_DIR}/generated/tlmssdConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tlmssd
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/tlmssdConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/tlmssdConfig.cmake
  ${CMAKE_BINARY_DIR}/generated/tlmssdConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tlmssd)
