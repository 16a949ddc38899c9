# SPDX-License-Identifier: BSD-3-Clause
# Compiler options of all modules, and the build types of CMakePresets.json.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17) # Debian's libsystemc exports the C++17 symbol only
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS ON) # unsigned __int128
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_compile_options(-Wall -Wextra -Wshadow -Wno-unknown-pragmas -Werror -ffp-contract=off)
# No padding in front of functions and loops: what one page passes through is a little more than the
# first-level instruction cache, and padding is a tenth of it (docs/notebook/speed-models.md).
set(release "-O2 -DNDEBUG -fno-align-functions -fno-align-loops -fno-align-jumps -fno-align-labels")
set(CMAKE_C_FLAGS_RELEASE "${release}")
set(CMAKE_CXX_FLAGS_RELEASE "${release}")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
set(sanitize "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer")
set(CMAKE_C_FLAGS_ASAN "${sanitize}")
set(CMAKE_CXX_FLAGS_ASAN "${sanitize} -fno-sanitize=vptr") # libsystemc has no RTTI for vptr checks
set(CMAKE_EXE_LINKER_FLAGS_ASAN "-fsanitize=address,undefined")
set(CMAKE_C_FLAGS_COVERAGE "-O0 -g --coverage")
set(CMAKE_CXX_FLAGS_COVERAGE "-O0 -g --coverage")
set(CMAKE_EXE_LINKER_FLAGS_COVERAGE "--coverage")

# Profile-guided optimisation, in the two steps of `scripts/build release-pgo`: a program that counts, and one that is
# compiled by the counts. A function that no training run called is compiled as in `release`.
set(TLMSSD_PGO "" CACHE STRING "Profile-guided optimisation: generate, use, or nothing")
set(TLMSSD_PROFILE "" CACHE PATH "Folder of the counts")
# The modules that a request passes through. The others are compiled as in `release`.
set(TLMSSD_COUNTED common cpu cpu_steps dram firmware flash flash_o3 flash_rtl host nand observe onfi probes sata ssd
  time workload)
set(TLMSSD_COUNTED_RTL tlmssd_rtl_o3 tlmssd_verilated) # not tlmssd_module()
set(TLMSSD_COUNT_OPTIONS)
if(NOT TLMSSD_PGO MATCHES "^(|generate|use)$")
  message(FATAL_ERROR "TLMSSD_PGO: \"${TLMSSD_PGO}\" is none of generate, use and nothing")
endif()
if(TLMSSD_PGO)
  set(TLMSSD_COUNT_OPTIONS -fprofile-prefix-path=${CMAKE_BINARY_DIR})
  # Slim object files of GCC need its own ar.
  set(CMAKE_AR ${CMAKE_CXX_COMPILER_AR})
  set(CMAKE_RANLIB ${CMAKE_CXX_COMPILER_RANLIB})
endif()
if(TLMSSD_PGO STREQUAL generate)
  list(APPEND TLMSSD_COUNT_OPTIONS -fprofile-generate=${TLMSSD_PROFILE})
  add_link_options(-fprofile-generate=${TLMSSD_PROFILE})
elseif(TLMSSD_PGO STREQUAL use)
  file(GLOB counts ${TLMSSD_PROFILE}/*.gcda)
  if(counts STREQUAL "")
    message(FATAL_ERROR "TLMSSD_PROFILE: no counts in \"${TLMSSD_PROFILE}\": scripts/build release-pgo makes them")
  endif()
  set(sums)
  foreach(file ${counts})
    file(SHA256 ${file} sum)
    list(APPEND sums ${sum})
  endforeach()
  string(SHA256 sum "${sums}")
  # A folder named for the counts: with others the modules are compiled again, and ccache keeps them apart.
  set(named ${CMAKE_BINARY_DIR}/profile-${sum})
  if(NOT EXISTS ${named})
    file(GLOB others ${CMAKE_BINARY_DIR}/profile-*)
    foreach(other ${others})
      file(REMOVE_RECURSE ${other})
    endforeach()
    file(COPY ${counts} DESTINATION ${named}.new)
    file(RENAME ${named}.new ${named}) # whole or not at all
  endif()
  # GCC 12 warns of an overflow in parameter_page.cpp with these options only.
  list(APPEND TLMSSD_COUNT_OPTIONS -fprofile-use=${named} -fprofile-partial-training -Wno-missing-profile
    -Wno-error=stringop-overflow)
  add_link_options(-Wno-error=stringop-overflow)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Precompiled headers are cached only if macros and times in them may differ. A clone in another folder finds what
  # this one has compiled: no object has the folder's name in it.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,locale
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  add_compile_options(-fpch-preprocess)
endif()
