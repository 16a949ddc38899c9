# SPDX-License-Identifier: BSD-3-Clause
# tlmssd_add_rtl_controller(): one RTL flash controller more for `controller.rtl`. docs/start/own-rtl-controller.md.
include(${CMAKE_CURRENT_LIST_DIR}/TlmssdRtlSources.cmake)
get_filename_component(TLMSSD_RTL_ROOT ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
set(TLMSSD_RTL_DIR ${TLMSSD_RTL_ROOT}/rtl/common) # flash_op_pkg.sv, flash_op.vh, assert.svh, rr_pick.sv
set(TLMSSD_RTL_CONTROLLERS "" CACHE STRING
  "Folders with further RTL controllers, each with a CMakeLists.txt; absolute, or from the sources' root")

# The controllers of this build, a line each in the order of adding:
# RTL_CONTROLLER(name, serial, inorder, ooo, registers, no_grants, clump, "words"). Written when all folders
# have been read.
add_custom_target(tlmssd_rtl_controllers)
set(TLMSSD_RTL_TABLE_DIR ${CMAKE_BINARY_DIR}/generated)
file(GENERATE OUTPUT ${TLMSSD_RTL_TABLE_DIR}/rtl_controllers.def
  CONTENT "$<JOIN:$<TARGET_PROPERTY:tlmssd_rtl_controllers,TABLE>,\n>\n")
set_target_properties(tlmssd_rtl_controllers PROPERTIES TABLE "")

# tlmssd_rtl_fast(model): the library of a Verilated model with a faster trigger vector.
function(tlmssd_rtl_fast model)
  target_compile_options(${model} PRIVATE
    "SHELL:-include ${TLMSSD_RTL_ROOT}/models/flash/rtl/verilated_triggers.h")
endfunction()

function(tlmssd_rtl_wrong name text)
  message(FATAL_ERROR "tlmssd_add_rtl_controller(${name}): ${text}; see docs/start/own-rtl-controller.md")
endfunction()

# tlmssd_rtl_check_call(prefix): the arguments of tlmssd_add_rtl_controller(), parsed to prefix_*.
function(tlmssd_rtl_check_call c)
  set(name "${${c}_NAME}")
  if(NOT "${${c}_UNPARSED_ARGUMENTS}" STREQUAL "")
    tlmssd_rtl_wrong("${name}" "\"${${c}_UNPARSED_ARGUMENTS}\" belongs to no keyword")
  endif()
  foreach(keyword NAME TOP SOURCES)
    if("${${c}_${keyword}}" STREQUAL "")
      tlmssd_rtl_wrong("${name}" "${keyword} is missing")
    endif()
  endforeach()
  if(NOT name MATCHES "^[a-z][a-z0-9]*(_[a-z0-9]+)*$")
    tlmssd_rtl_wrong("${name}" "NAME is made of a-z, 0-9 and single underscores and begins with a letter")
  endif()
  if(${c}_REGISTERS AND "${${c}_ADAPTER}" STREQUAL "")
    tlmssd_rtl_wrong("${name}" "REGISTERS needs an ADAPTER, which sets them")
  endif()
  if(${c}_CLUMP AND "${${c}_ADAPTER}" STREQUAL "")
    tlmssd_rtl_wrong("${name}" "CLUMP needs an ADAPTER, which makes the second model")
  endif()
  if(NOT "${${c}_TOP}" MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    tlmssd_rtl_wrong("${name}" "TOP \"${${c}_TOP}\" is no name of a module")
  endif()
  set(libraries tlmssd_rtl_${name})
  if(${c}_CLUMP)
    list(APPEND libraries tlmssd_rtl_${name}_clump)
  endif()
  foreach(library ${libraries})
    if(NOT TARGET ${library})
      continue()
    endif()
    get_target_property(first ${library} SOURCE_DIR)
    tlmssd_rtl_wrong("${name}" "there is a controller of this name already, added by ${first}")
  endforeach()
  foreach(file ${${c}_SOURCES} ${${c}_WAIVERS} ${${c}_SHARED} ${${c}_ADAPTER})
    get_filename_component(path "${file}" ABSOLUTE)
    if(NOT EXISTS "${path}" OR IS_DIRECTORY "${path}")
      tlmssd_rtl_wrong("${name}" "there is no file ${path}")
    endif()
  endforeach()
  foreach(mode ${${c}_MODES})
    if(NOT mode MATCHES "^(serial|inorder|ooo)$")
      tlmssd_rtl_wrong("${name}" "MODES has \"${mode}\", which is none of serial, inorder and ooo")
    endif()
  endforeach()
  foreach(pair ${${c}_PARAMETERS})
    if(NOT pair MATCHES "^[A-Za-z_][A-Za-z0-9_]*=.+$" OR pair MATCHES "^(CHANNELS|LUNS|TAGS)=")
      tlmssd_rtl_wrong("${name}" "PARAMETERS has \"${pair}\", which is not NAME=value \
(CHANNELS, LUNS and TAGS come from the build's shape)")
    endif()
  endforeach()
endfunction()

# tlmssd_add_rtl_controller(NAME name TOP module SOURCES file...
#   [MODES serial|inorder|ooo ...] [WORDS text] [PARAMETERS NAME=value...] [FLAGS flag...] [WAIVERS file.vlt]
#   [NO_GRANTS] [REGISTERS] [CLUMP] [SHARED file.vlt] [ADAPTER file.cpp] [PREFIX class])
# Files are relative to the calling folder. Library tlmssd_rtl_<name>: the Verilated model. CLUMP: a second
# one, tlmssd_rtl_<name>_clump of class <PREFIX>_clump, with ISSUE_POLICY=1: controller.issue_policy: clump.
function(tlmssd_add_rtl_controller)
  cmake_parse_arguments(PARSE_ARGV 0 C "NO_GRANTS;REGISTERS;CLUMP"
    "NAME;TOP;WORDS;WAIVERS;SHARED;ADAPTER;PREFIX" "SOURCES;MODES;PARAMETERS;FLAGS")
  if("${C_MODES}" STREQUAL "")
    set(C_MODES inorder)
  endif()
  tlmssd_rtl_check_call(C)
  set(library tlmssd_rtl_${C_NAME})
  if("${C_PREFIX}" STREQUAL "")
    # Names have no two underscores in a row: no class of one controller has the name of another's.
    set(C_PREFIX V${C_NAME}__rtl)
  endif()
  foreach(keyword SOURCES WAIVERS SHARED ADAPTER)
    set(paths)
    foreach(file ${C_${keyword}})
      get_filename_component(path "${file}" ABSOLUTE)
      list(APPEND paths "${path}")
    endforeach()
    set(C_${keyword} "${paths}")
  endforeach()
  set(share -fno-inline)
  set(plain)
  if(C_SHARED)
    set(share)
    set(plain PLAIN)
  endif()
  list(TRANSFORM C_PARAMETERS PREPEND -G)
  set(package ${TLMSSD_RTL_DIR}/flash_op_pkg.sv)
  list(REMOVE_ITEM C_SOURCES ${package})
  set(libraries ${library})
  if(C_CLUMP)
    list(APPEND libraries ${library}_clump)
  endif()
  foreach(model ${libraries})
    set(prefix ${C_PREFIX})
    set(policy)
    if(NOT model STREQUAL library)
      set(prefix ${C_PREFIX}_clump)
      set(policy -GISSUE_POLICY=1)
    endif()
    # assert.svh and flash_op.vh stand in the list so that a change of them builds anew.
    tlmssd_verilate(${model} TOP ${C_TOP} PREFIX ${prefix} ${plain}
      FLAGS -O3 ${share} --x-assign fast --x-initial unique -I${TLMSSD_RTL_DIR} -I${CMAKE_CURRENT_SOURCE_DIR}
        -GCHANNELS=${TLMSSD_RTL_CHANNELS} -GLUNS=${TLMSSD_RTL_LUNS} -GTAGS=${TLMSSD_RTL_TAGS}
        ${C_PARAMETERS} ${policy} ${C_FLAGS}
      SOURCES ${TLMSSD_RTL_DIR}/lint.vlt ${C_WAIVERS} ${C_SHARED} ${TLMSSD_RTL_DIR}/assert.svh
        ${TLMSSD_RTL_DIR}/flash_op.vh ${package} ${C_SOURCES})
    tlmssd_rtl_fast(${model})
  endforeach()

  set(header ${CMAKE_CURRENT_BINARY_DIR}/${library}.dir/${C_PREFIX}.h)
  set(checker ${TLMSSD_RTL_ROOT}/cmake/rtl_ports.cmake)
  set(adapter ${CMAKE_CURRENT_BINARY_DIR}/rtl_${C_NAME}.cpp)
  if(C_ADAPTER)
    set(adapter ${C_ADAPTER})
  else()
    string(REPLACE ";" "," modes "${C_MODES}")
    add_custom_command(OUTPUT ${adapter}
      COMMAND ${CMAKE_COMMAND} -DHEADER=${header} -DNAME=${C_NAME} -DTOP=${C_TOP} -DPREFIX=${C_PREFIX}
        -DCHANNELS=${TLMSSD_RTL_CHANNELS} -DLUNS=${TLMSSD_RTL_LUNS} -DTAGS=${TLMSSD_RTL_TAGS}
        -DMODES=${modes} -DNO_GRANTS=${C_NO_GRANTS} -DOUT=${adapter} -P ${checker}
      DEPENDS ${header} ${checker} COMMENT "Checking the ports of ${C_TOP}" VERBATIM)
  endif()
  # Objects, since a generated source belongs to the folder that generates it.
  add_library(${library}_adapter OBJECT ${adapter})
  target_include_directories(${library}_adapter PRIVATE ${TLMSSD_RTL_ROOT})
  target_link_libraries(${library}_adapter PRIVATE ${libraries} tlmssd_common)
  target_compile_definitions(${library}_adapter PRIVATE
    $<TARGET_PROPERTY:tlmssd_flash_rtl,INTERFACE_COMPILE_DEFINITIONS>)
  target_compile_options(${library}_adapter PRIVATE $<$<CONFIG:Release>:-flto=auto;-ffat-lto-objects>)
  target_sources(tlmssd_flash_rtl PRIVATE $<TARGET_OBJECTS:${library}_adapter>)
  target_link_libraries(tlmssd_flash_rtl PUBLIC ${libraries})

  set(flags)
  foreach(mode serial inorder ooo)
    if(mode IN_LIST C_MODES)
      list(APPEND flags true)
    else()
      list(APPEND flags false)
    endif()
  endforeach()
  foreach(flag REGISTERS NO_GRANTS CLUMP)
    if(C_${flag})
      list(APPEND flags true)
    else()
      list(APPEND flags false)
    endif()
  endforeach()
  list(JOIN flags ", " flags)
  string(REGEX REPLACE "[\"\\\\;$\r\n]" " " words "${C_WORDS}")
  set_property(TARGET tlmssd_rtl_controllers APPEND PROPERTY TABLE
    "RTL_CONTROLLER(${C_NAME}, ${flags}, \"${words}\")")
endfunction()

# tlmssd_rtl_folders(folder...): the controllers of other folders, each once.
function(tlmssd_rtl_folders)
  set(seen)
  foreach(folder ${ARGN})
    get_filename_component(path "${folder}" REALPATH BASE_DIR ${TLMSSD_RTL_ROOT})
    if(path IN_LIST seen)
      continue()
    endif()
    list(APPEND seen "${path}")
    if(NOT EXISTS "${path}/CMakeLists.txt")
      message(FATAL_ERROR "TLMSSD_RTL_CONTROLLERS: there is no ${path}/CMakeLists.txt; "
        "see docs/start/own-rtl-controller.md")
    endif()
    get_target_property(before tlmssd_rtl_controllers TABLE)
    get_filename_component(leaf "${path}" NAME)
    file(RELATIVE_PATH place "${TLMSSD_RTL_ROOT}" "${path}")
    string(SHA1 hash "${place}") # the same in every clone: for ccache
    string(SUBSTRING ${hash} 0 8 hash)
    add_subdirectory("${path}" "${CMAKE_BINARY_DIR}/rtl_controllers/${leaf}_${hash}")
    get_target_property(after tlmssd_rtl_controllers TABLE)
    if("${before}" STREQUAL "${after}")
      message(FATAL_ERROR "TLMSSD_RTL_CONTROLLERS: ${path}/CMakeLists.txt adds no controller: it calls no "
        "tlmssd_add_rtl_controller(); see docs/start/own-rtl-controller.md")
    endif()
  endforeach()
endfunction()
