// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: standard output arrives in order, and the first error is kept however much follows.
#include "models/observe/output/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <iostream>
#include <string>
#include <unistd.h>

namespace tlmssd::observe {
namespace {

/// What `work` leaves as error with descriptor 1 led to `target`.
template <class Work>
int with_output(int target, const Work& work)
{
    std::cout.flush();
    std::fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    dup2(target, STDOUT_FILENO);
    int error = 0;
    {
        StandardOutput output;
        work();
        error = output.finish();
    }
    dup2(kept, STDOUT_FILENO);
    close(kept);
    std::cout.clear();
    return error;
}

TEST(StandardOutput, AllArrivesInOrder)
{
    std::FILE* const file = std::tmpfile();
    std::string expected;
    const int error = with_output(fileno(file), [&expected] {
        for (int i = 0; i < 20000; ++i) { // several times its buffer, across its end
            const std::string word = std::to_string(i) + (i % 1000 == 0 ? "\n" : " ");
            expected += word;
            std::cout << word;
        }
        std::cout << std::endl << 'x';
    });
    expected += "\nx";
    EXPECT_EQ(error, 0);
    std::string found(expected.size() + 1, '\0');
    std::rewind(file);
    found.resize(std::fread(found.data(), 1, found.size(), file));
    EXPECT_EQ(found, expected);
    std::fclose(file);
}

TEST(StandardOutput, FirstErrorIsKeptUntilTheEnd)
{
    const int full = open("/dev/full", O_WRONLY);
    ASSERT_GE(full, 0);
    EXPECT_EQ(with_output(full, [] { std::cout << "short"; }), ENOSPC);
    EXPECT_EQ(with_output(full, [] { std::cout << std::string(100000, 'x') << std::flush << "more"; }), ENOSPC);
    close(full);
    const int unwritable = open("/dev/null", O_RDONLY);
    EXPECT_EQ(with_output(unwritable, [] { std::cout << "a" << std::endl << "b" << std::endl; }), EBADF);
    close(unwritable);
}

} // namespace
} // namespace tlmssd::observe
