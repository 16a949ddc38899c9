// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what Verilator's FST writer calls in the place of <cstdio>: it looks at no result of a write.
// Put before that one source file by verilated.cmake; others include it for fst_error() alone.
#pragma once

// First, so that what follows renames no declaration of the library.
#include <cstdio>
#include <sys/types.h>
#include <unistd.h>

namespace tlmssd::observe {

/// The errno of the first write that failed since the last fst_forget_error(), 0: none did. One for all wave
/// files of the process.
int fst_error();
void fst_forget_error();

std::size_t fst_fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* file);
int fst_fputc(int byte, std::FILE* file);
int fst_fflush(std::FILE* file);
int fst_fseeko(std::FILE* file, off_t offset, int whence);
int fst_fclose(std::FILE* file);
int fst_ftruncate(int file, off_t bytes);

} // namespace tlmssd::observe

#ifdef TLMSSD_FST_STDIO
#define fwrite tlmssd::observe::fst_fwrite
#define fputc tlmssd::observe::fst_fputc
#define fflush tlmssd::observe::fst_fflush
#define fseeko tlmssd::observe::fst_fseeko
#define fclose tlmssd::observe::fst_fclose
#define ftruncate tlmssd::observe::fst_ftruncate
#endif
