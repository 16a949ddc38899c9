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
