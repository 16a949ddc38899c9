# SPDX-License-Identifier: BSD-3-Clause
# Verilator's run-time library, built once for waves and all RTL models, and a way to make a model.
find_program(VERILATOR verilator)
if(NOT VERILATOR)
  message(FATAL_ERROR "verilator not found: run scripts/setup")
endif()
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT
  OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(TLMSSD_VERILATOR_INCLUDE "${root}/include" CACHE INTERNAL "Verilator's C++ headers and sources")
find_package(ZLIB REQUIRED)
option(TLMSSD_RTL_COVERAGE "Count the lines of the RTL that are executed (scripts/rtl-coverage)" OFF)

add_library(tlmssd_verilated STATIC
  ${TLMSSD_VERILATOR_INCLUDE}/verilated.cpp
  ${TLMSSD_VERILATOR_INCLUDE}/verilated_cov.cpp
  ${TLMSSD_VERILATOR_INCLUDE}/verilated_fst_c.cpp
  ${TLMSSD_VERILATOR_INCLUDE}/verilated_threads.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fst_stdio.cpp)
# Its FST writer does not see that a disk is full; its calls of <cstdio> are led to functions that do.
set_source_files_properties(${TLMSSD_VERILATOR_INCLUDE}/verilated_fst_c.cpp PROPERTIES
  COMPILE_OPTIONS "-DTLMSSD_FST_STDIO;-include;${CMAKE_CURRENT_LIST_DIR}/fst_stdio.h")
target_include_directories(tlmssd_verilated PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(tlmssd_verilated SYSTEM PUBLIC
  ${TLMSSD_VERILATOR_INCLUDE} ${TLMSSD_VERILATOR_INCLUDE}/vltstd)
# The definitions of Verilator's own makefiles; library and models must agree on them.
target_compile_definitions(tlmssd_verilated PUBLIC
  VM_COVERAGE=$<BOOL:${TLMSSD_RTL_COVERAGE}> VM_SC=0 VM_TRACE=1 VM_TRACE_FST=1 VM_TRACE_VCD=0)
# Foreign code: no warnings, and not under UBSan (it stores 64-bit values at 4-byte alignment).
target_compile_options(tlmssd_verilated PRIVATE -w -fno-sanitize=undefined)
target_link_libraries(tlmssd_verilated PUBLIC Threads::Threads ZLIB::ZLIB)

# tlmssd_verilate(NAME TOP top [PREFIX Vx] [PLAIN] [FLAGS ...] SOURCES ...): static library NAME with the
# C++ model Vtop (or PREFIX) of module `top`, made by `verilator --cc --output-split 0 --trace-fst --assert
# FLAGS`; #include "Vtop.h". PLAIN: assertions are the `if`s of assert.svh and their messages do not name
# the instance, so that instances can share code; not where lines are counted.
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
    list(APPEND V_FLAGS --coverage-line)
  endif()
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir)
  # All of a model in one file: not in parallel, though Verilator asks for that where it has split its constants.
  list(TRANSFORM V_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  add_custom_command(OUTPUT ${dir}/${V_PREFIX}__ALL.cpp ${dir}/${V_PREFIX}.h
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${dir}
    COMMAND ${VERILATOR} --cc --output-split 0 --trace-fst --trace-structs ${assert} ${V_FLAGS}
            --top-module ${V_TOP} --prefix ${V_PREFIX} --Mdir ${dir} ${V_SOURCES}
    COMMAND make --no-print-directory -s -C ${dir} -f ${V_PREFIX}.mk VM_PARALLEL_BUILDS=0 ${V_PREFIX}__ALL.cpp
    DEPENDS ${V_SOURCES} COMMENT "Verilating ${V_TOP}" VERBATIM)
  add_library(${name} STATIC ${dir}/${V_PREFIX}__ALL.cpp)
  target_include_directories(${name} SYSTEM PUBLIC ${dir})
  target_compile_options(${name} PRIVATE -w -fno-sanitize=undefined)
  target_link_libraries(${name} PUBLIC tlmssd_verilated)
endfunction()
