// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the configuration hash covers what changes results and nothing else.
#include <gmock/gmock.h>

#include "models/config/keys/keys.h"
#include "models/config/rules/resolve.h"
#include "tb/config/support.h"

namespace tlmssd::config {
namespace {

TEST(Hash, IgnoresKeysThatCannotChangeResults)
{
    const u64 hash = from("").hash;
    EXPECT_EQ(from("controller: {clock_gating: false}").hash, hash);
    EXPECT_EQ(from("checker: false").hash, hash);
    EXPECT_EQ(from("time: {backend: kernel}").hash, hash);
    EXPECT_EQ(from("workload: {name: other}").hash, hash);
    EXPECT_EQ(from("nand: {name: other, source: nowhere}").hash, hash);
    EXPECT_EQ(from("", {"controller.clock_gating=false"}).hash, hash);
}

TEST(Hash, IgnoresHowAValueWasWritten)
{
    EXPECT_EQ(from("workload: {bs: 4096}").hash, from("workload: {bs: 4k}").hash);
    EXPECT_EQ(from("controller: {mode: inorder}").hash, from("controller: {mode: auto}").hash);
    EXPECT_EQ(from("nand: {t_read_us: 50.0}").hash, from("").hash); // the default is 50
    EXPECT_EQ(from("nand: {blocks: 512}").hash, from("geometry: {blocks: 512}").hash);
}

/// A value of the key other than its value in `config`.
Value other_value(const Key& key, const Config& config)
{
    Value value = key.get(config);
    switch (key.type) {
    case Type::Choice:
        value.number = (value.number + 1) % key.choices.size();
        value.text = key.choices[value.number];
        break;
    case Type::Bool:
        value.number = value.number == 0;
        break;
    case Type::Real:
        value.real = value.real == key.real_most ? key.real_most / 2 : key.real_most;
        break;
    case Type::Text:
    case Type::File:
        value.text += "x";
        if (key.check) { // a text with a grammar: one of these is right
            for (const char* text : {"zipf:1.2", "1024", "7", "0-1:1", "high,low", "4k/60:64kx4k/40",
                                     "1=new/10:64/90"}) {
                value.text = key.check(text).empty() ? text : value.text;
            }
            EXPECT_EQ(key.check(value.text), "") << key.path;
        }
        break;
    case Type::Integer:
    case Type::Size:
        value.number = value.number == key.most ? key.least : key.most;
        break;
    }
    return value;
}

TEST(Hash, SeesAKeyExactlyWhereTheTableSaysSo)
{
    const Config base = from("");
    for (const Key& key : keys()) {
        const bool one_value = key.type == Type::Choice && key.choices.size() == 1;
        const bool mode = key.path == "controller.mode"; // `auto` sets nothing
        if (one_value || mode) {
            continue;
        }
        Config changed = base;
        key.set(changed, other_value(key, base));
        EXPECT_EQ(hash_of(changed) != hash_of(base), key.affects_results) << key.path;
    }
    EXPECT_NE(from("scheduler: serial").hash, base.hash);
}

TEST(Hash, OfATraceCountsNameAndSizeNotTheFolder)
{
    const TempFolder a, b;
    const auto hash = [](const std::string& path) {
        return from("", {"workload.trace=" + path}).hash;
    };
    const u64 first = hash(a.write("x.csv", "12345"));
    EXPECT_EQ(hash(b.write("x.csv", "12345")), first);
    EXPECT_NE(hash(b.write("y.csv", "12345")), first);
    EXPECT_NE(hash(b.write("x.csv", "123456")), first);
}

TEST(Hash, IsSixteenHexDigits)
{
    const Config c = from("seed: 5");
    EXPECT_EQ(c.hash_text.size(), 16u);
    EXPECT_EQ(std::stoull(c.hash_text, nullptr, 16), c.hash);
}

} // namespace
} // namespace tlmssd::config
