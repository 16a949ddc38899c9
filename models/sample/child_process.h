// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a copy of this process that goes its own way and sends back one message.
#pragma once

#include <sys/types.h>

#include <string>
#include <type_traits>
#include <vector>

#include "models/common/error.h"
#include "models/common/types.h"

namespace tlmssd::sample {

/// Values one behind the other, as they lie in memory: both ends are the same program.
class Message {
public:
    explicit Message(std::string text = {}) : text_(std::move(text)) {}

    template <class T>
    void put(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    template <class T>
    void put_all(const std::vector<T>& values)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        put<u64>(values.size());
        text_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }
    /// ModelError: the message ends here.
    template <class T>
    T take()
    {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        take_bytes(&value, sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> take_all()
    {
        static_assert(std::is_trivially_copyable_v<T>);
        const u64 count = take<u64>();
        if ((text_.size() - at_) / sizeof(T) < count) {
            throw ModelError(kCutOff);
        }
        std::vector<T> values(count);
        take_bytes(values.data(), values.size() * sizeof(T));
        return values;
    }
    const std::string& text() const { return text_; }

private:
    static constexpr const char* kCutOff = "--sample: a process ended before its result was complete";

    void take_bytes(void* to, std::size_t bytes)
    {
        if (text_.size() - at_ < bytes) {
            throw ModelError(kCutOff);
        }
        at_ += text_.copy(static_cast<char*>(to), bytes, at_);
    }

    std::string text_;
    std::size_t at_ = 0;
};

/// One end of the pipe from a child to its parent. Call result() before the parent's goes.
class ChildProcess {
public:
    /// Makes a child. In the parent `is_parent` is true; in the child the object is to be passed to succeed() or fail().
    /// ModelError: the system has none.
    ChildProcess();
    bool is_parent() const { return child_ != 0; }

    /// In the parent: waits for what the child says next. InputError, ModelError, Interrupted: what fail() got, or
    /// ModelError: its result has come instead.
    Message next();
    /// In the parent: waits for its result and its end. Messages before it that no next() took are lost.
    Message result();
    /// In the child: send `message`, and go on.
    void say(const Message& message);
    /// In the child: send `message`, and end.
    [[noreturn]] void succeed(const Message& message);
    /// In the child, in a handler: send what was thrown, and end.
    [[noreturn]] void fail(const std::exception_ptr& error);

private:
    /// The first byte of what a child sends: what follows.
    enum class Sent : char { Said = 'n', Result = 'r', BadInput = 'i', BadModel = 'm', Stopped = 's' };
    struct Packet {
        Sent what;
        std::string text;
    };

    Packet receive();
    bool read_bytes(char* to, std::size_t bytes);
    void write_bytes(const char* from, std::size_t bytes);
    void send(Sent what, const std::string& text);
    [[noreturn]] void end_with(Sent what, const std::string& text);
    void wait();

    pid_t child_;
    int end_; ///< of the pipe
};

} // namespace tlmssd::sample
