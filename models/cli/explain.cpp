// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommand `explain`.
#include "models/cli/explain.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <sstream>

#include <CLI/CLI.hpp>

#include "models/cli/catalogue.h"
#include "models/cli/command.h"
#include "models/common/error.h"
#include "models/config/keys/keys.h"
#include "models/config/keys/renamed.h"
#include "models/config/keys/value.h"
#include "models/observe/catalogue.h"
#include "models/run/statistics.h"

namespace tlmssd::cli {

namespace {

using observe::Json;
using observe::KeyNode;

const KeyNode& results_root()
{
    static const KeyNode root = observe::key_tree(run::results_document().table);
    return root;
}

/// Without what numbers an element: flash.channels.0.busy_s and flash.channels[].busy_s are flash.channels.busy_s.
std::vector<std::string> parts_of(const std::string& key)
{
    std::vector<std::string> parts;
    std::istringstream words(key);
    for (std::string word; std::getline(words, word, '.');) {
        word = word.substr(0, word.find('['));
        if (word.find_first_not_of("0123456789") != std::string::npos) {
            parts.push_back(word);
        }
    }
    return parts;
}

const KeyNode* find_result(const std::string& key)
{
    const KeyNode* node = &results_root();
    const std::vector<std::string> parts = parts_of(key);
    for (const std::string& part : parts) {
        const auto found = std::find_if(node->keys.begin(), node->keys.end(),
                                        [&part](const auto& child) { return child->name == part; });
        if (found == node->keys.end()) {
            return nullptr;
        }
        node = found->get();
    }
    return parts.empty() ? nullptr : node;
}

const char* word_of(observe::Form form)
{
    switch (form) {
    case observe::Form::Integer:
        return "integer";
    case observe::Form::Number:
        return "number";
    case observe::Form::Flag:
        return "boolean";
    case observe::Form::Text:
        return "text";
    case observe::Form::Map:
    case observe::Form::Object:
        return "group";
    case observe::Form::List:
        return "list";
    case observe::Form::Objects:
        return "list of groups";
    }
    return "";
}

std::string shown_name(const KeyNode& node)
{
    const bool list = node.info.form == observe::Form::List || node.info.form == observe::Form::Objects;
    return node.name + (list ? "[]" : "");
}

Json json_of(const std::string& path, const KeyNode& node)
{
    Json out{{"key", path}, {"type", word_of(node.info.form)}};
    if (node.info.form == observe::Form::List) {
        out["element"] = word_of(node.info.element);
    }
    out["unit"] = observe::to_string(node.info.unit);
    out["sentence"] = node.info.text;
    if (!node.only.empty()) {
        out["condition"] = "only " + node.only;
    }
    if (!node.info.words.empty()) {
        out["choices"] = Json::array();
        for (const std::string& word : node.info.words) {
            out["choices"].push_back({{"name", word}, {"sentence", ""}});
        }
    }
    if (node.is_object()) {
        out["keys"] = Json::array();
        for (const auto& key : node.keys) {
            out["keys"].push_back({{"name", path + "." + shown_name(*key)}, {"sentence", key->info.text}});
        }
    }
    return out;
}

Json json_of(const config::Key& key)
{
    Json out{{"key", key.path}, {"type", config::type_text(key)}, {"unit", config::unit_text(key)}};
    out["default"] = config::default_text(key);
    out["range"] = config::range_text(key);
    out["sentence"] = key.help;
    if (*key.condition->words != '\0') {
        out["condition"] = key.condition->words;
    }
    if (key.of_run) {
        out["note"] = "a single job cannot have it";
    }
    if (!key.affects_results) {
        out["note"] = "it cannot change results and is no part of config_hash";
    }
    if (!key.choices.empty()) {
        out["choices"] = Json::array();
        for (const std::string& choice : key.choices) {
            out["choices"].push_back({{"name", choice}, {"sentence", sentence_of_choice(key, choice)}});
        }
    }
    return out;
}

Json json_of(const config::Section& section)
{
    Json out{{"key", section.path}, {"type", "group"}, {"sentence", section.help}, {"keys", Json::array()}};
    for (const config::Key& key : config::keys()) {
        if (key.path.rfind(section.path + ".", 0) == 0) {
            out["keys"].push_back({{"name", key.path}, {"sentence", key.help}});
        }
    }
    return out;
}

Json configuration_of(const std::string& name)
{
    if (const config::Key* const key = config::find_key(name)) {
        return json_of(*key);
    }
    const config::Section* const section = config::find_section(name);
    return section == nullptr || section->path.empty() ? Json() : json_of(*section);
}

void names_below(const KeyNode& node, const std::string& path, std::vector<std::string>& names)
{
    for (const auto& key : node.keys) {
        const std::string name = (path.empty() ? "" : path + ".") + shown_name(*key);
        names.push_back(name);
        names_below(*key, name, names);
    }
}

void add_row(std::string& out, const std::string& name, const std::string& value)
{
    if (!value.empty()) {
        out += "  " + name + std::string(name.size() < 10 ? 11 - name.size() : 1, ' ') +
               wrapped(value, 86, std::string(13, ' ')) + "\n";
    }
}

std::string word(const Json& of, const char* key) { return of.contains(key) ? of.at(key).get<std::string>() : ""; }

std::string text_of(const Json& part, const std::string& heading)
{
    std::string out = heading + word(part, "key") + "\n";
    add_row(out, "", word(part, "sentence"));
    std::string type = word(part, "type");
    type += part.contains("element") ? " of " + word(part, "element") : "";
    add_row(out, "type", type);
    for (const char* const name : {"unit", "default", "range", "condition", "note"}) {
        add_row(out, name, std::string(name) == "range" && part.contains("choices") ? "" : word(part, name));
    }
    for (const char* const name : {"choices", "keys"}) {
        if (part.contains(name)) {
            std::vector<Entry> entries;
            for (const Json& entry : part.at(name)) {
                entries.push_back({word(entry, "name"), word(entry, "sentence"), ""});
            }
            out += std::string("  ") + name + "\n" + lines_of(entries, "    ");
        }
    }
    return out;
}

} // namespace

Json explanation(const std::string& key)
{
    Json out{{"configuration", configuration_of(key)}, {"results", Json()}};
    if (const KeyNode* const node = find_result(key)) {
        out["results"] = json_of(key, *node);
    }
    const std::string renamed = config::renamed_hint(key);
    if (!renamed.empty() && out["results"].is_null()) {
        throw InputError("explain: " + key + ": " + renamed);
    }
    if (!renamed.empty()) { // results.json still has a key of this name
        out["configuration"] = {{"key", key}, {"sentence", renamed}};
    }
    if (!out["configuration"].is_null() || !out["results"].is_null()) {
        return out;
    }
    std::vector<std::string> names = configuration_names();
    for (std::string& name : result_names()) {
        names.push_back(std::move(name));
    }
    throw InputError("explain: '" + key + "' is neither a key of the configuration nor of results.json; did you mean '" +
                     nearest_of(key, names) + "'?");
}

std::string text_of_explanation(const Json& explanation)
{
    std::string out;
    const bool both = !explanation.at("configuration").is_null() && !explanation.at("results").is_null();
    for (const char* const where : {"configuration", "results"}) {
        const Json& part = explanation.at(where);
        if (!part.is_null()) {
            const bool results = std::string(where) == "results";
            out += (both && results ? "\n" : "") + text_of(part, results ? "results.json: " : "configuration: ");
        }
    }
    return out;
}

std::vector<std::string> configuration_names()
{
    std::vector<std::string> names;
    for (const config::Section& section : config::sections()) {
        if (!section.path.empty()) {
            names.push_back(section.path);
        }
    }
    for (const config::Key& key : config::keys()) {
        names.push_back(key.path);
    }
    return names;
}

std::vector<std::string> result_names()
{
    std::vector<std::string> names;
    names_below(results_root(), "", names);
    return names;
}

Command add_explain(CLI::App& app)
{
    const auto key = std::make_shared<std::string>();
    const auto json = std::make_shared<bool>(false);
    CLI::App* const command =
        app.add_subcommand("explain", "explain a key of the configuration or of results.json, or a group of keys");
    command->add_option("KEY", *key, "the key or group, such as buffer.policy, buffer or host.reads.iops")->required();
    command->add_flag("--json", *json, "print JSON on standard output");
    command->footer("Examples:\n  tlmssd explain ftl.gc.policy\n  tlmssd explain buffer\n"
                    "  tlmssd explain host.all.latency_us.p99");
    return {command, [key, json] {
                const Json found = explanation(*key);
                std::cout << (*json ? observe::text_of(found) : text_of_explanation(found));
                return kExitDone;
            }};
}

} // namespace tlmssd::cli
