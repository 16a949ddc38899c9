# SPDX-License-Identifier: BSD-3-Clause
# Verilator's run-time library, built once for waves and all RTL models, and a way to make a model.
# TLMSSD_VERILATOR chooses it; its default is the environment's variable of that name, then that of PATH.
if(NOT "$ENV{TLMSSD_VERILATOR}" STREQUAL "")
  set(TLMSSD_VERILATOR "$ENV{TLMSSD_VERILATOR}" CACHE FILEPATH "The Verilator to build with")
endif()
if("${TLMSSD_VERILATOR}" STREQUAL "")
  unset(TLMSSD_VERILATOR CACHE)
endif()
find_program(TLMSSD_VERILATOR verilator DOC "The Verilator to build with")
if(NOT TLMSSD_VERILATOR)
  message(FATAL_ERROR "verilator not found: run scripts/setup")
elseif(NOT EXISTS ${TLMSSD_VERILATOR})
  message(FATAL_ERROR "TLMSSD_VERILATOR: there is no ${TLMSSD_VERILATOR}")
endif()
execute_process(COMMAND ${TLMSSD_VERILATOR} --getenv VERILATOR_ROOT
  OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(TLMSSD_VERILATOR_INCLUDE "${root}/include" CACHE INTERNAL "Verilator's C++ headers and sources")
find_package(ZLIB REQUIRED)
set(TLMSSD_RTL_COVERAGE OFF CACHE STRING
  "What to count of the RTL: OFF, or kinds that this Verilator has: line;toggle;expr;user (scripts/rtl-coverage)")
set(TLMSSD_RTL_COVER_DIR ${PROJECT_SOURCE_DIR}/tb/rtl/cover CACHE INTERNAL "Cover points by module, MODULE_cover.sv")
set(counted 0)
if(TLMSSD_RTL_COVERAGE)
  set(counted 1)
endif()

add_library(tlmssd_verilated STATIC
  ${TLMSSD_VERILATOR_INCLUDE}/verilated.cpp
  ${TLMSSD_VERILATOR_INCLUDE}/verilated_cov.cpp
  ${TLMSSD_VERILATOR_INCLUDE}/verilated_fst_c.cpp
  ${TLMSSD_VERILATOR_INCLUDE}/verilated_threads.cpp)
# The library that writes FST: GTKWave's in C, or its successor in C++ (which needs LZ4).
if(EXISTS ${TLMSSD_VERILATOR_INCLUDE}/fstcpp)
  set(TLMSSD_FST_SOURCE fst_fstcpp.cpp)
  pkg_check_modules(lz4 REQUIRED IMPORTED_TARGET GLOBAL liblz4)
  target_link_libraries(tlmssd_verilated PUBLIC PkgConfig::lz4)
else()
  set(TLMSSD_FST_SOURCE fst_fstapi.cpp)
  # It does not see that a disk is full; its calls of <cstdio> are led to functions that do.
  set_source_files_properties(${TLMSSD_VERILATOR_INCLUDE}/verilated_fst_c.cpp PROPERTIES
    COMPILE_OPTIONS "-DTLMSSD_FST_STDIO;-include;${CMAKE_CURRENT_LIST_DIR}/fst_stdio.h")
  target_sources(tlmssd_verilated PRIVATE ${CMAKE_CURRENT_LIST_DIR}/fst_stdio.cpp)
endif()
target_include_directories(tlmssd_verilated PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(tlmssd_verilated SYSTEM PUBLIC
  ${TLMSSD_VERILATOR_INCLUDE} ${TLMSSD_VERILATOR_INCLUDE}/vltstd)
# The definitions of Verilator's own makefiles; library and models must agree on them.
target_compile_definitions(tlmssd_verilated PUBLIC
  VM_COVERAGE=${counted} VM_SC=0 VM_TRACE=1 VM_TRACE_FST=1 VM_TRACE_VCD=0)
# Foreign code: no warnings, and not under UBSan (it stores 64-bit values at 4-byte alignment).
target_compile_options(tlmssd_verilated PRIVATE -w -fno-sanitize=undefined)
target_link_libraries(tlmssd_verilated PUBLIC Threads::Threads ZLIB::ZLIB)

# tlmssd_verilate(NAME TOP top [PREFIX Vx] [PLAIN] [FLAGS ...] SOURCES ...): static library NAME with the
# C++ model Vtop (or PREFIX) of module `top`, made by `verilator --cc --output-split 0 --trace-fst --assert
# FLAGS`; #include "Vtop.h". PLAIN: assertions are the `if`s of assert.svh and their messages do not name
# the instance, so that instances can share code; not where coverage is counted.
function(tlmssd_verilate name)
  cmake_parse_arguments(V "PLAIN" "TOP;PREFIX" "FLAGS;SOURCES" ${ARGN})
  set(assert --assert)
  if(V_PLAIN AND NOT TLMSSD_RTL_COVERAGE)
    set(assert +define+TLMSSD_ASSERT_PLAIN)
  endif()
  if(NOT V_PREFIX)
    set(V_PREFIX V${V_TOP})
  endif()
  if(TLMSSD_RTL_COVERAGE)
    list(TRANSFORM TLMSSD_RTL_COVERAGE PREPEND --coverage- OUTPUT_VARIABLE kinds)
    set(bound)
    foreach(source ${V_SOURCES})
      get_filename_component(module ${source} NAME_WE)
      if(EXISTS ${TLMSSD_RTL_COVER_DIR}/${module}_cover.sv)
        list(APPEND bound ${TLMSSD_RTL_COVER_DIR}/cover.svh ${TLMSSD_RTL_COVER_DIR}/${module}_cover.sv)
      endif()
    endforeach()
    list(APPEND V_FLAGS ${kinds} -I${TLMSSD_RTL_COVER_DIR})
    list(REMOVE_DUPLICATES bound)
    list(APPEND V_SOURCES ${bound})
  endif()
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir)
  # All of a model in one file: not in parallel, though Verilator asks for that where it has split its constants.
  list(TRANSFORM V_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  add_custom_command(OUTPUT ${dir}/${V_PREFIX}__ALL.cpp ${dir}/${V_PREFIX}.h
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${dir}
    COMMAND ${TLMSSD_VERILATOR} --cc --output-split 0 --trace-fst --trace-structs ${assert} ${V_FLAGS}
            --top-module ${V_TOP} --prefix ${V_PREFIX} --Mdir ${dir} ${V_SOURCES}
    COMMAND make --no-print-directory -s -C ${dir} -f ${V_PREFIX}.mk VM_PARALLEL_BUILDS=0 ${V_PREFIX}__ALL.cpp
    DEPENDS ${V_SOURCES} COMMENT "Verilating ${V_TOP}" VERBATIM)
  add_library(${name} STATIC ${dir}/${V_PREFIX}__ALL.cpp)
  target_include_directories(${name} SYSTEM PUBLIC ${dir})
  target_compile_options(${name} PRIVATE -w -fno-sanitize=undefined)
  target_link_libraries(${name} PUBLIC tlmssd_verilated)
endfunction()
