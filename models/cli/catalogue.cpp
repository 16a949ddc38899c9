// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what can be named on the command line, from the tables that declare it.
#include "models/cli/catalogue.h"

#include <algorithm>
#include <sstream>

#include "models/config/keys/rtl_controllers.h"
#include "models/config/rules/named_files.h"
#include "models/workload/formats/formats.h"

namespace tlmssd::cli {

namespace {

using Entries = std::vector<Entry>;

Entries files_of(config::NamedKind kind)
{
    Entries entries;
    for (const config::NamedFile& file : config::named_files(config::named_folders(kind))) {
        entries.push_back({file.name, config::sentence_of_file(file.path), ""});
    }
    return entries;
}

Entries devices() { return files_of(config::NamedKind::Device); }
Entries workloads() { return files_of(config::NamedKind::Workload); }

Entries schedulers()
{
    return {
#define SCHED(id, name, mode, traits, words) {#name, words, "scheduler"},
#include "firmware/hal/sched.def"
#undef SCHED
    };
}

Entries policies()
{
    return {
#define BUFFER_POLICY(id, name, words) {#name, words, "buffer.policy"},
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
#define GC_POLICY(id, name, words) {#name, words, "ftl.gc.policy"},
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
    };
}

Entries formats()
{
    Entries entries;
    for (const std::string& name : workload::format_names()) {
        entries.push_back({name, workload::format_words(name), "workload.format"});
    }
    return entries;
}

Entries controllers()
{
    Entries entries{{"tlm", "transaction-level model in C++, the specification of o3: serial, inorder, ooo",
                     "controller.kind"}};
    for (const config::RtlController& rtl : config::rtl_controllers()) {
        entries.push_back({rtl.name, "RTL: " + rtl.modes() + (*rtl.words ? ": " : "") + rtl.words, "controller.rtl"});
    }
    return entries;
}

/// The list that the choices of a key come from.
Entries declared_choices(const std::string& key)
{
    Entries found;
    for (const Entries& all : {schedulers(), policies(), formats(), controllers()}) {
        std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                     [&key](const Entry& entry) { return entry.key == key; });
    }
    return found;
}

} // namespace

const std::vector<Catalogue>& catalogues()
{
    static const std::vector<Catalogue> all{
        {"devices", "device files, for the argument DEVICE of each verb", devices},
        {"workloads", "workload presets, for --workload", workloads},
        {"schedulers", "request schedulers of the firmware, for --set scheduler=NAME", schedulers},
        {"policies", "policies of the buffer and of garbage collection, for --set KEY=NAME", policies},
        {"formats", "formats of block traces, for --format", formats},
        {"controllers", "flash controllers of this build, for --set KEY=NAME; RTL also needs controller.kind=rtl",
         controllers},
    };
    return all;
}

const Catalogue* find_catalogue(const std::string& name)
{
    for (const Catalogue& catalogue : catalogues()) {
        if (name == catalogue.name) {
            return &catalogue;
        }
    }
    return nullptr;
}

std::vector<std::string> names_of(const std::vector<Entry>& entries)
{
    std::vector<std::string> names;
    for (const Entry& entry : entries) {
        names.push_back(entry.name);
    }
    return names;
}

std::string sentence_of_choice(const config::Key& key, const std::string& choice)
{
    for (const Entry& entry : declared_choices(key.path)) {
        if (entry.name == choice) {
            return entry.sentence;
        }
    }
    // The sentence of a key explains its words as "...; word: what it does; other: what that does".
    std::size_t from = 0;
    while (from <= key.help.size()) {
        const std::size_t to = std::min(key.help.find("; ", from), key.help.size());
        const std::string part = key.help.substr(from, to - from);
        if (part.rfind(choice + ": ", 0) == 0) {
            return part.substr(choice.size() + 2);
        }
        from = to + 2;
    }
    return "";
}

std::string lines_of(const std::vector<Entry>& entries, const std::string& indent)
{
    std::size_t width = 0;
    for (const Entry& entry : entries) {
        width = std::max(width, entry.name.size());
    }
    std::string out;
    for (const Entry& entry : entries) {
        out += indent + entry.name;
        if (!entry.sentence.empty()) {
            out += std::string(width + 2 - entry.name.size(), ' ') + entry.sentence;
        }
        out += "\n";
    }
    return out;
}

std::string wrapped(const std::string& text, std::size_t width, const std::string& indent)
{
    std::istringstream words(text);
    std::string out, line;
    for (std::string word; words >> word;) {
        if (!line.empty() && line.size() + 1 + word.size() > width) {
            out += line + "\n" + indent;
            line = word;
        } else {
            line += (line.empty() ? "" : " ") + word;
        }
    }
    return out + line;
}

} // namespace tlmssd::cli
