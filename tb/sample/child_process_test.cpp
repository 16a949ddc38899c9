// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what comes back from a copy of the process.
#include "models/sample/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "models/common/interrupt.h"

namespace tlmssd::sample {
namespace {

/// A child that does `work(child)`.
template <class Work>
Message result_of(const Work& work)
{
    ChildProcess child;
    if (!child.is_parent()) {
        work(child);
        ::_exit(1);
    }
    return child.result();
}

template <class Error>
Message failing(const Error& error)
{
    return result_of([&](ChildProcess& child) {
        try {
            throw error;
        } catch (...) {
            child.fail(std::current_exception());
        }
    });
}

TEST(ChildProcess, ValuesComeBackAsTheyWere)
{
    Message message = result_of([](ChildProcess& child) {
        Message all;
        all.put<u64>(7);
        all.put_all(std::vector<u64>(100'000, 3)); // more than a pipe holds
        all.put_all(std::vector<u64>());
        all.put(2.5);
        child.succeed(all);
    });
    EXPECT_EQ(message.take<u64>(), 7u);
    EXPECT_EQ(message.take_all<u64>(), std::vector<u64>(100'000, 3));
    EXPECT_TRUE(message.take_all<u64>().empty());
    EXPECT_EQ(message.take<double>(), 2.5);
    EXPECT_THROW(message.take<char>(), ModelError);
}

TEST(ChildProcess, TwoRunAtOnceAndEachHasItsOwnResult)
{
    ChildProcess first;
    if (!first.is_parent()) {
        ::usleep(20'000);
        Message message;
        message.put('a');
        first.succeed(message);
    }
    ChildProcess second;
    if (!second.is_parent()) {
        Message message;
        message.put('b');
        second.succeed(message);
    }
    EXPECT_EQ(first.result().take<char>(), 'a');
    EXPECT_EQ(second.result().take<char>(), 'b');
}

/// Says 'a' and 'b', then does `end(child)`.
template <class End>
ChildProcess saying(const End& end)
{
    ChildProcess child;
    if (!child.is_parent()) {
        for (const char letter : {'a', 'b'}) {
            Message message;
            message.put(letter);
            child.say(message);
        }
        end(child);
        ::_exit(1);
    }
    return child;
}

void succeed_with_c(ChildProcess& child)
{
    Message message;
    message.put('c');
    child.succeed(message);
}

TEST(ChildProcess, ItSaysSomethingAndGoesOn)
{
    ChildProcess child = saying(succeed_with_c);
    EXPECT_EQ(child.next().take<char>(), 'a');
    EXPECT_EQ(child.next().take<char>(), 'b');
    EXPECT_EQ(child.result().take<char>(), 'c');
}

TEST(ChildProcess, AResultIsNotWhatItSaysNext)
{
    ChildProcess child = saying(succeed_with_c);
    child.next();
    child.next();
    EXPECT_THROW(child.next(), ModelError);
}

TEST(ChildProcess, TheResultIsWhatItEndsWith)
{
    EXPECT_EQ(saying(succeed_with_c).result().take<char>(), 'c');
}

TEST(ChildProcess, AnErrorComesInsteadOfWhatItWouldSayNext)
{
    ChildProcess child = saying([](ChildProcess& c) { c.fail(std::make_exception_ptr(InputError("wrong"))); });
    child.next();
    child.next();
    EXPECT_THROW(child.next(), InputError);
    ChildProcess killed = saying([](ChildProcess&) { std::raise(SIGKILL); });
    EXPECT_THROW(killed.result(), ModelError);
}

TEST(ChildProcess, AnErrorIsThrownInTheParent)
{
    try {
        failing(InputError("a key is wrong"));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "a key is wrong");
    }
    try {
        failing(ModelError("line 1\nline 2"));
        FAIL();
    } catch (const ModelError& error) {
        EXPECT_STREQ(error.what(), "line 1\nline 2");
    }
    EXPECT_THROW(failing(Interrupted()), Interrupted);
    EXPECT_THROW(failing(std::bad_alloc()), ModelError);
}

TEST(ChildProcess, OneThatDiesIsAnError)
{
    EXPECT_THROW(result_of([](ChildProcess&) { std::raise(SIGKILL); }), ModelError);
    EXPECT_THROW(result_of([](ChildProcess&) { ::_exit(0); }), ModelError);
}

TEST(ChildProcess, AMessageThatIsCutOffIsAnError)
{
    Message all;
    all.put_all(std::vector<u64>{1, 2, 3});
    Message part(all.text().substr(0, 20));
    EXPECT_THROW(part.take_all<u64>(), ModelError);
    Message none("abc");
    EXPECT_THROW(none.take<u64>(), ModelError);
}

} // namespace
} // namespace tlmssd::sample
