// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: several simulations in one test, each in a child process: the kernel elaborates once in each.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <type_traits>

namespace tlmssd::tb {

/// What `work` returns in a child process; nothing where it threw (which is printed) or the child died. A
/// failure that gtest counts in the child is printed, too, but stays there: let the value say so.
template <class Work>
auto in_child(const Work& work) -> std::optional<decltype(work())>
{
    using Value = decltype(work());
    static_assert(std::is_trivially_copyable_v<Value>);
    int ends[2];
    if (pipe(ends) != 0) {
        return {};
    }
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        bool sent = false;
        try {
            const Value own = work();
            sent = write(ends[1], &own, sizeof own) == sizeof own;
        } catch (const std::exception& e) {
            std::fprintf(stderr, "%s\n", e.what());
        }
        std::fflush(nullptr);
        _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    Value value{};
    const bool whole = child > 0 && read(ends[0], &value, sizeof value) == sizeof value;
    close(ends[0]);
    int status = 0;
    const bool ended = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    return whole && ended ? std::optional<Value>(value) : std::nullopt;
}

} // namespace tlmssd::tb
