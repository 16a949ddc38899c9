// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: candidates for the last word of a command line.
#include "models/cli/complete.h"

#include <algorithm>

#include "models/cli/catalogue.h"
#include "models/cli/explain.h"
#include "models/config/controller.h"
#include "models/config/keys/keys.h"
#include "models/config/rules/named_files.h"

namespace tlmssd::cli {

namespace {

/// Collects the candidates that begin with what is typed.
class Candidates {
public:
    explicit Candidates(std::string typed) : typed_(std::move(typed)) {}

    void add(const std::string& text, const std::string& sentence = "")
    {
        if (text.compare(0, typed_.size(), typed_) == 0) {
            lines_ += text + "\t" + sentence.substr(0, sentence.find('\n')) + "\n";
        }
    }
    void add_all(const std::vector<Entry>& entries, const std::string& before = "")
    {
        for (const Entry& entry : entries) {
            add(before + entry.name, entry.sentence);
        }
    }
    void add_catalogue(const char* name, const std::string& before = "")
    {
        add_all(find_catalogue(name)->entries(), before);
    }
    void add_files() { files_ = true; }
    const std::string& typed() const { return typed_; }
    std::string text() const { return lines_ + (files_ ? ":files\n" : ""); }

private:
    std::string typed_;
    std::string lines_;
    bool files_ = false;
};

/// Values of a key, after `before`: "--set=scheduler=".
void add_values(Candidates& out, const std::string& key, const std::string& before)
{
    if (key == "workload") {
        out.add_catalogue("workloads", before);
        out.add_files();
    } else if (key == "workload.format") {
        out.add_catalogue("formats", before);
    } else if (key == "nand") {
        out.add_files();
    }
    const config::Key* const row = config::find_key(key);
    if (row == nullptr) {
        return;
    }
    for (const std::string& choice : row->choices) {
        out.add(before + choice, sentence_of_choice(*row, choice));
    }
    if (row->type == config::Type::Bool) {
        out.add(before + "true");
        out.add(before + "false");
    }
    if (!row->zero_word.empty()) {
        out.add(before + row->zero_word);
    }
    if (row->type == config::Type::File) {
        out.add_files();
    }
}

/// KEY=VALUE after `before`.
void add_settings(Candidates& out, const std::string& before)
{
    const std::string typed = out.typed().substr(before.size());
    const std::size_t equals = typed.find('=');
    if (equals != std::string::npos) {
        add_values(out, typed.substr(0, equals), before + typed.substr(0, equals + 1));
        return;
    }
    for (const config::Key& key : config::keys()) {
        out.add(before + key.path + "=", key.help);
    }
    for (const config::Section& section : config::sections()) {
        if (section.reference != config::Section::Reference::None) {
            out.add(before + section.path + "=", section.help);
        }
    }
}

void add_option_values(Candidates& out, const CLI::Option& option, const std::string& before)
{
    const std::string name = option.get_lnames().empty() ? "" : option.get_lnames().front();
    if (name == "set") {
        add_settings(out, before);
    } else if (name == "workload") {
        out.add_catalogue("workloads", before);
        out.add_files();
    } else if (name == "format") {
        out.add_catalogue("formats", before);
    } else if (name == "waves-view") {
        for (const char* const view : {"decoded", "pins", "both"}) {
            out.add(before + view);
        }
    } else if (name == "mode") {
        for (const auto mode : {config::ControllerMode::Serial, config::ControllerMode::InOrder,
                                config::ControllerMode::Ooo}) {
            out.add(before + config::to_string(mode));
        }
    } else if (option.get_option_text().find("FILE") != std::string::npos ||
               option.get_option_text().find("DIR") != std::string::npos) {
        out.add_files();
    }
}

void add_argument(Candidates& out, const CLI::App& verb, std::size_t number)
{
    const std::vector<const CLI::Option*> arguments =
        verb.get_options([](const CLI::Option* option) { return option->get_positional(); });
    if (number >= arguments.size()) {
        return;
    }
    const std::string name = arguments[number]->get_name(true, false);
    if (name == "DEVICE") {
        out.add_catalogue("devices");
        out.add_files();
    } else if (name == "WHAT") {
        for (const Catalogue& catalogue : catalogues()) {
            out.add(catalogue.name, catalogue.sentence);
        }
    } else if (name == "KEY") {
        for (const auto& names : {configuration_names(), result_names()}) {
            for (const std::string& key : names) {
                out.add(key);
            }
        }
    } else {
        out.add_files();
    }
}

void add_options(Candidates& out, const CLI::App& verb)
{
    for (const CLI::Option* option : verb.get_options()) {
        if (!option->nonpositional() || option->get_group().empty()) {
            continue;
        }
        for (const std::string& name : option->get_lnames()) {
            out.add("--" + name, option->get_description());
        }
        for (const std::string& name : option->get_snames()) {
            out.add("-" + name, option->get_description());
        }
    }
}

const CLI::App* find_verb(const CLI::App& app, const std::string& name)
{
    const std::vector<const CLI::App*> verbs =
        app.get_subcommands([&name](const CLI::App* verb) { return verb->get_name() == name; });
    return verbs.empty() ? nullptr : verbs.front();
}

/// Null: `word` names no option of the verb.
const CLI::Option* find_option(const CLI::App& verb, const std::string& word)
{
    return word.size() < 2 || word[0] != '-' ? nullptr : verb.get_option_no_throw(word.substr(0, word.find('=')));
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

} // namespace

std::string completions(const CLI::App& app, const std::vector<std::string>& words)
{
    const CLI::App* verb = &app;
    const CLI::Option* waiting = nullptr; // for its value
    std::size_t arguments = 0;
    Candidates out(words.empty() ? "" : words.back());
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string& word = words[i];
        if (waiting != nullptr) {
            waiting = nullptr;
        } else if (const CLI::Option* const option = find_option(*verb, word)) {
            waiting = takes_value(*option) && word.find('=') == std::string::npos ? option : nullptr;
        } else if (const CLI::App* const inner = find_verb(*verb, word)) {
            verb = inner;
        } else {
            arguments += word[0] != '-';
        }
    }
    const std::string& typed = out.typed();
    const std::size_t equals = typed.find('=');
    if (waiting != nullptr) {
        add_option_values(out, *waiting, "");
    } else if (const CLI::Option* const option = find_option(*verb, typed);
               option != nullptr && equals != std::string::npos) {
        add_option_values(out, *option, typed.substr(0, equals + 1));
    } else if (!typed.empty() && typed[0] == '-') {
        add_options(out, *verb);
    } else {
        for (const CLI::App* inner : verb->get_subcommands([](const CLI::App*) { return true; })) {
            out.add(inner->get_name(), inner->get_description());
        }
        add_argument(out, *verb, arguments);
    }
    return out.text();
}

} // namespace tlmssd::cli
