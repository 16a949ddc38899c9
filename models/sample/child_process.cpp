// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: fork, pipe, and the errors of a child.
#include "models/sample/child_process.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "models/common/interrupt.h"

namespace tlmssd::sample {
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

/// False: the child has ended before. An interrupt goes on to it.
bool ChildProcess::read_bytes(char* to, std::size_t bytes)
{
    while (bytes != 0) {
        const ssize_t count = ::read(end_, to, bytes);
        if (count < 0 && errno == EINTR) {
            if (interrupt_requested()) {
                ::kill(child_, SIGINT);
            }
            continue;
        }
        if (count <= 0) {
            return false;
        }
        to += count;
        bytes -= static_cast<std::size_t>(count);
    }
    return true;
}

/// What next() and result() do not throw; after an error the child has ended.
ChildProcess::Packet ChildProcess::receive()
{
    Packet packet{Sent::BadModel, ""};
    u64 length = 0;
    bool complete = read_bytes(reinterpret_cast<char*>(&packet.what), sizeof packet.what) &&
                    read_bytes(reinterpret_cast<char*>(&length), sizeof length);
    if (complete) {
        packet.text.resize(length);
        complete = read_bytes(packet.text.data(), length);
    }
    if (complete && (packet.what == Sent::Said || packet.what == Sent::Result)) {
        return packet;
    }
    wait();
    if (complete && packet.what == Sent::BadInput) {
        throw InputError(packet.text);
    }
    if (complete && packet.what == Sent::Stopped) {
        throw Interrupted();
    }
    stop_point(); // it may have been ended by a signal
    throw ModelError(complete ? packet.text : "--sample: a process ended without a result");
}

void ChildProcess::wait()
{
    ::close(end_);
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
}

Message ChildProcess::next()
{
    Packet packet = receive();
    if (packet.what == Sent::Result) {
        wait();
        throw ModelError("--sample: a process ended before it had said what was waited for");
    }
    return Message(std::move(packet.text));
}

Message ChildProcess::result()
{
    Packet packet = receive();
    while (packet.what == Sent::Said) {
        packet = receive();
    }
    wait();
    return Message(std::move(packet.text));
}

void ChildProcess::write_bytes(const char* from, std::size_t bytes)
{
    while (bytes != 0) {
        const ssize_t count = ::write(end_, from, bytes);
        if (count < 0 && errno != EINTR) {
            return; // the parent has gone
        }
        const std::size_t done = count < 0 ? 0 : static_cast<std::size_t>(count);
        from += done;
        bytes -= done;
    }
}

void ChildProcess::send(Sent what, const std::string& text)
{
    const u64 length = text.size();
    write_bytes(reinterpret_cast<const char*>(&what), sizeof what);
    write_bytes(reinterpret_cast<const char*>(&length), sizeof length);
    write_bytes(text.data(), text.size());
}

void ChildProcess::end_with(Sent what, const std::string& text)
{
    send(what, text);
    ::_exit(0); // no destructor, no buffer of the parent
}

void ChildProcess::say(const Message& message) { send(Sent::Said, message.text()); }

void ChildProcess::succeed(const Message& message) { end_with(Sent::Result, message.text()); }

void ChildProcess::fail(const std::exception_ptr& error)
{
    try {
        std::rethrow_exception(error);
    } catch (const Interrupted&) {
        end_with(Sent::Stopped, "");
    } catch (const InputError& e) {
        end_with(Sent::BadInput, e.what());
    } catch (const std::exception& e) {
        end_with(Sent::BadModel, e.what());
    }
}

} // namespace tlmssd::sample
