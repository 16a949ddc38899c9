// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one section of a fio job file in the words of `workload`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/config/fio/fio_file.h"
#include "models/config/text/raw.h"
#include "models/config/workload.h"

namespace tlmssd::config {

/// One section on its way to a map of keys. Throws InputError at the option that is wrong.
class FioTranslator {
public:
    /// `priorities`: some job of the file has one, so all need one.
    FioTranslator(const FioSection& section, bool priorities)
        : section_(section), priorities_(priorities)
    {
        map_.kind = RawNode::Kind::Map;
        map_.origin = section.origin;
    }

    /// The job, or its clones one by one where their offsets differ.
    std::vector<RawNode> jobs();
    /// After jobs(): what the section asks for and does not get, a line each.
    const std::vector<std::string>& notes() const { return notes_; }

private:
    using Option = const FioOption*;

    Option find(const char* word) const;
    [[noreturn]] void wrong(const char* word, const std::string& expected) const;
    /// A key with its value; it comes from `option`, or from the section as a whole.
    void add(const std::string& key, const std::string& value, Option option);
    void add(const std::string& key, u64 value, Option option);
    std::optional<u64> number(const char* word, u64 most) const;
    /// A switch: without a value it is on.
    bool on(const char* word) const;
    u64 microseconds(const char* word, u64 unit_us) const;
    std::string size_in_bytes(const char* word, const std::string& text) const;
    std::string split_in_bytes(const std::string& text) const;
    std::optional<Extent> extent_of(const char* word) const;

    void kb_base();
    void pattern();
    void syncs();
    void sizes();
    void extent(const char* word);
    void addresses();
    void amounts();
    void depth();
    void times();
    bool poisson() const;
    void rate(Option option);
    void priority();
    std::vector<RawNode> clones();

    const FioSection& section_;
    bool priorities_;
    u32 kb_base_ = 1024;
    Rw rw_ = Rw::Read;
    RawNode map_;
    std::vector<std::string> notes_;
};

} // namespace tlmssd::config
