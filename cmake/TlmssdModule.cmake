# SPDX-License-Identifier: BSD-3-Clause
# tlmssd_module(NAME sources... LINKS libraries...): the library target tlmssd_NAME of one module.
function(tlmssd_module name)
  cmake_parse_arguments(MODULE "" "" "LINKS" ${ARGN})
  if(MODULE_UNPARSED_ARGUMENTS)
    add_library(tlmssd_${name} STATIC ${MODULE_UNPARSED_ARGUMENTS})
    target_include_directories(tlmssd_${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(tlmssd_${name} PUBLIC ${MODULE_LINKS})
    if(TLMSSD_PGO AND name IN_LIST TLMSSD_COUNTED) # linked with -flto alone: no machine code in the object files
      target_compile_options(tlmssd_${name} PRIVATE -flto=auto -fno-fat-lto-objects ${TLMSSD_COUNT_OPTIONS})
    else()
      target_compile_options(tlmssd_${name} PRIVATE $<$<CONFIG:Release>:-flto=auto;-ffat-lto-objects>)
    endif()
  else()
    add_library(tlmssd_${name} INTERFACE)
    target_include_directories(tlmssd_${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(tlmssd_${name} INTERFACE ${MODULE_LINKS})
  endif()
endfunction()

# tlmssd_test(NAME LABEL label SOURCES ... LINKS ... [SYSTEMC]): one GoogleTest binary in tb/.
# SYSTEMC: sc_main of tb/support runs the tests (one process a TEST); else a plain main.
function(tlmssd_test name)
  cmake_parse_arguments(T "SYSTEMC" "LABEL;TIMEOUT" "SOURCES;LINKS" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 60)
  endif()
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE ${T_LINKS} GTest::gtest GTest::gmock)
  if(T_SYSTEMC)
    target_link_libraries(${name} PRIVATE tlmssd_tb_sc_main)
  else()
    target_link_libraries(${name} PRIVATE tlmssd_tb_main)
  endif()
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>) # half of what is compiled is tests
  target_precompile_headers(${name} REUSE_FROM tlmssd_tb_headers)
  gtest_discover_tests(${name} NO_PRETTY_VALUES WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS ${T_LABEL})
endfunction()

# tlmssd_inline(module FILE...): these sources of a module are compiled as one, so that calls between
# them can be inlined: one page passes through dozens of them.
function(tlmssd_inline name)
  set_target_properties(tlmssd_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP hot)
endfunction()

# tlmssd_optimize_whole(program): it is optimised as one where it is linked, in release builds. The
# many tests are linked from the machine code that the modules' object files carry too.
function(tlmssd_optimize_whole name)
  set_target_properties(${name} PROPERTIES TLMSSD_WHOLE ON)
  target_link_options(${name} PRIVATE $<$<CONFIG:Release>:-flto=auto>)
endfunction()
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT TLMSSD_PGO)
  add_link_options($<$<NOT:$<BOOL:$<TARGET_PROPERTY:TLMSSD_WHOLE>>>:-fno-lto>)
endif()
