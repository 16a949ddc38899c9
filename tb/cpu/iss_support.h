// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the tests need to know about the build: is there an ISS, where is the image.
#pragma once

#include <gtest/gtest.h>

#include <string>

// TLMSSD_HAVE_ISS and TLMSSD_RV32_IMAGE come from CMake.
#define TLMSSD_NEEDS_ISS()                                                                             \
    if (!TLMSSD_HAVE_ISS) {                                                                            \
        GTEST_SKIP() << "no ISS in this build: libunicorn-dev or gcc-riscv64-unknown-elf is absent"; \
    }

namespace tlmssd::cpu::test {

inline std::string rv32_image() { return TLMSSD_RV32_IMAGE; }

} // namespace tlmssd::cpu::test
