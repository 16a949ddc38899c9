// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommand `list`.
#include <iostream>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>

#include "models/cli/catalogue.h"
#include "models/cli/command.h"
#include "models/cli/terminal.h"
#include "models/common/error.h"
#include "models/observe/results.h"

namespace tlmssd::cli {

namespace {

std::vector<Entry> all_catalogues()
{
    std::vector<Entry> entries;
    for (const Catalogue& catalogue : catalogues()) {
        entries.push_back({catalogue.name, catalogue.sentence, ""});
    }
    return entries;
}

observe::Json json_of(const std::vector<Entry>& entries)
{
    observe::Json list = observe::Json::array();
    for (const Entry& entry : entries) {
        observe::Json item{{"name", entry.name}, {"sentence", entry.sentence}};
        if (!entry.key.empty()) {
            item["key"] = entry.key;
        }
        list.push_back(item);
    }
    return list;
}

/// The entries of several keys, each key with its own.
std::string text_of(const std::vector<Entry>& entries)
{
    std::vector<std::string> keys; // in their order
    std::map<std::string, std::vector<Entry>> of_key;
    for (const Entry& entry : entries) {
        if (of_key.count(entry.key) == 0) {
            keys.push_back(entry.key);
        }
        of_key[entry.key].push_back(entry);
    }
    if (keys.size() < 2) {
        return lines_of(entries, "");
    }
    std::string out;
    for (const std::string& key : keys) {
        out += key + "\n" + lines_of(of_key[key], "  ");
    }
    return out;
}

int list(const std::string& what, bool json)
{
    const Catalogue* const catalogue = find_catalogue(what);
    if (!what.empty() && catalogue == nullptr) {
        throw InputError("list: '" + what + "' cannot be listed; did you mean '" +
                         nearest_of(what, names_of(all_catalogues())) + "'?");
    }
    const std::vector<Entry> entries = catalogue == nullptr ? all_catalogues() : catalogue->entries();
    std::cout << (json ? observe::text_of(json_of(entries)) : text_of(entries));
    return kExitDone;
}

} // namespace

Command add_list(CLI::App& app)
{
    const auto what = std::make_shared<std::string>();
    const auto json = std::make_shared<bool>(false);
    CLI::App* const command =
        app.add_subcommand("list", "list devices, workloads, schedulers, policies, trace formats or controllers");
    command->add_option("WHAT", *what, "devices, workloads, schedulers, policies, formats or controllers; without it, "
                                       "list what can be listed");
    command->add_flag("--json", *json, "print JSON on standard output");
    command->footer("Examples:\n  tlmssd list devices\n  tlmssd list schedulers --json");
    return {command, [what, json] { return list(*what, *json); }};
}

} // namespace tlmssd::cli
