// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: writes of the FST writer, and whether one has failed.
#include "models/observe/fst/fst_stdio.h"

#include <atomic>
#include <cerrno>

namespace tlmssd::observe {

namespace {

std::atomic<int> g_error{0}; // the writer has a C interface that hands nothing on

void note(bool good)
{
    int none = 0;
    if (!good) {
        g_error.compare_exchange_strong(none, errno != 0 ? errno : EIO);
    }
}

} // namespace

int fst_error() { return g_error.load(std::memory_order_relaxed); }

void fst_forget_error() { g_error = 0; }

std::size_t fst_fwrite(const void* data, std::size_t size, std::size_t count, std::FILE* file)
{
    const std::size_t written = std::fwrite(data, size, count, file);
    note(written == count || size == 0);
    return written;
}

int fst_fputc(int byte, std::FILE* file)
{
    const int result = std::fputc(byte, file);
    note(result != EOF);
    return result;
}

int fst_fflush(std::FILE* file)
{
    const int result = std::fflush(file);
    note(result == 0);
    return result;
}

int fst_fseeko(std::FILE* file, off_t offset, int whence)
{
    const int result = ::fseeko(file, offset, whence); // it writes what is buffered
    note(result == 0);
    return result;
}

int fst_fclose(std::FILE* file)
{
    const int result = std::fclose(file);
    note(result == 0);
    return result;
}

int fst_ftruncate(int file, off_t bytes)
{
    const int result = ::ftruncate(file, bytes);
    note(result == 0);
    return result;
}

} // namespace tlmssd::observe
