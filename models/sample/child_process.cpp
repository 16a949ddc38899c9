// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: fork, pipe, and the errors of a child.
#include "models/sample/child_process.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "models/common/interrupt.h"

namespace tlmssd::sample {
namespace {

/// The first byte of what a child sends: what follows.
enum class Sent : char { Result = 'r', BadInput = 'i', BadModel = 'm', Stopped = 's' };

/// All that `writer` sends. An interrupt goes on to it.
std::string read_all(int from, pid_t writer)
{
    std::string text;
    std::vector<char> part(std::size_t{1} << 16);
    for (;;) {
        const ssize_t count = ::read(from, part.data(), part.size());
        if (count < 0 && errno == EINTR) {
            if (interrupt_requested()) {
                ::kill(writer, SIGINT);
            }
            continue;
        }
        if (count <= 0) {
            return text;
        }
        text.append(part.data(), static_cast<std::size_t>(count));
    }
}

} // namespace

ChildProcess::ChildProcess()
{
    int ends[2];
    if (::pipe(ends) != 0) {
        throw ModelError(std::string("--sample: no pipe: ") + std::strerror(errno));
    }
    std::fflush(nullptr); // or the child would write it again
    child_ = ::fork();
    if (child_ < 0) {
        const int error = errno;
        ::close(ends[0]);
        ::close(ends[1]);
        throw ModelError(std::string("--sample: no further process: ") + std::strerror(error));
    }
    if (!is_parent()) {
        ::prctl(PR_SET_PDEATHSIG, SIGINT); // it does not outlive the parent
    }
    end_ = is_parent() ? ends[0] : ends[1];
    ::close(is_parent() ? ends[1] : ends[0]);
}

Message ChildProcess::result()
{
    const std::string text = read_all(end_, child_);
    ::close(end_);
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    const std::string rest = text.empty() ? text : text.substr(1);
    switch (text.empty() ? Sent::BadModel : static_cast<Sent>(text.front())) {
    case Sent::BadInput: throw InputError(rest);
    case Sent::Stopped: throw Interrupted();
    case Sent::Result: return Message(rest);
    case Sent::BadModel: break;
    }
    stop_point(); // it may have been ended by a signal
    throw ModelError(text.empty() ? "--sample: a process ended without a result" : rest);
}

void ChildProcess::send(const std::string& text)
{
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = ::write(end_, text.data() + done, text.size() - done);
        if (count < 0 && errno != EINTR) {
            break; // the parent has gone
        }
        done += count < 0 ? 0 : static_cast<std::size_t>(count);
    }
    ::_exit(0); // no destructor, no buffer of the parent
}

void ChildProcess::succeed(const Message& message)
{
    send(static_cast<char>(Sent::Result) + message.text());
}

void ChildProcess::fail(const std::exception_ptr& error)
{
    std::string text;
    try {
        std::rethrow_exception(error);
    } catch (const Interrupted&) {
        text = static_cast<char>(Sent::Stopped);
    } catch (const InputError& e) {
        text = static_cast<char>(Sent::BadInput) + std::string(e.what());
    } catch (const std::exception& e) {
        text = static_cast<char>(Sent::BadModel) + std::string(e.what());
    }
    send(text);
}

} // namespace tlmssd::sample
