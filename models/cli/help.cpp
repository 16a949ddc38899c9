// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the form of help texts, and what an argument that is wrong may have meant.
#include "models/cli/help.h"

#include <sstream>
#include <vector>

#include "models/cli/catalogue.h"
#include "models/common/error.h"

namespace tlmssd::cli {

namespace {

constexpr std::size_t kColumn = 28, kWidth = 100;

class HelpForm final : public CLI::Formatter {
public:
    std::string make_option_desc(const CLI::Option* option) const override
    {
        return wrapped(option->get_description(), kWidth - kColumn);
    }

    std::string make_subcommand(const CLI::App* verb) const override
    {
        std::ostringstream out;
        CLI::detail::format_help(out, verb->get_name(), wrapped(verb->get_description(), kWidth - kColumn), kColumn);
        return out.str();
    }
};

/// The verb that has been given, as deep as it goes.
const CLI::App& given_verb(const CLI::App& app)
{
    const std::vector<CLI::App*> verbs = app.get_subcommands();
    return verbs.empty() ? app : given_verb(*verbs.back());
}

std::vector<std::string> names_in(const CLI::App& verb, bool options)
{
    std::vector<std::string> names;
    if (options) {
        for (const CLI::Option* option : verb.get_options()) {
            for (const std::string& name : option->get_lnames()) {
                names.push_back("--" + name);
            }
        }
    } else {
        for (const CLI::App* inner : verb.get_subcommands({})) {
            names.push_back(inner->get_name());
        }
    }
    return names;
}

} // namespace

std::shared_ptr<CLI::FormatterBase> help_form()
{
    const auto form = std::make_shared<HelpForm>();
    form->column_width(kColumn);
    form->label("SUBCOMMAND", "VERB");
    form->label("Positionals", "Arguments");
    form->label("UINT", "NUMBER");
    form->label("INT", "NUMBER");
    return form;
}

std::string argument_message(const CLI::App& app, const CLI::ParseError& error)
{
    const CLI::App& verb = given_verb(app);
    const std::string name = verb.get_parent() == nullptr ? "tlmssd" : "tlmssd " + verb.get_name();
    const std::vector<std::string> extra = verb.remaining();
    std::string text = error.what();
    if (text == "A subcommand is required") {
        text = name + " requires a verb";
    }
    if (!extra.empty()) {
        const std::string given = extra.front().substr(0, extra.front().find('='));
        const bool option = given.rfind('-', 0) == 0;
        const std::vector<std::string> names = names_in(verb, option);
        text = option          ? "unknown option " + given
               : names.empty() ? "'" + given + "' is one argument too many"
                               : "unknown verb '" + given + "'";
        text += names.empty() ? "" : "; did you mean '" + nearest_of(given, names) + "'?";
    }
    const std::string parent = verb.get_parent() == nullptr || verb.get_parent()->get_parent() == nullptr
                                   ? ""
                                   : verb.get_parent()->get_name() + " ";
    return text + "\nRun `tlmssd " + (verb.get_parent() == nullptr ? "" : parent + verb.get_name() + " ") +
           "--help` for more information.";
}

} // namespace tlmssd::cli
