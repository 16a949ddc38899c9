// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tables of a page of reference, from a document's tree of keys.
#include <algorithm>
#include <sstream>

#include "models/common/error.h"
#include "models/observe/catalogue.h"

namespace tlmssd::observe {

namespace {

const char kBegin[] = "<!-- statistics: ";
const char kEnd[] = "<!-- end of statistics -->";

std::string joined(const std::vector<std::string>& names)
{
    std::string out;
    for (const std::string& name : names) {
        out += (out.empty() ? "" : ",") + name;
    }
    return names.size() == 1 ? out : "{" + out + "}";
}

std::string below(const std::string& path, const KeyNode& node, const std::string& name)
{
    return (path.empty() ? name : path + "." + name) + (node.info.form == Form::Objects ? "[]" : "");
}

/// All leaves of `node` in braces: "a.{b,c}", one text for each object in it.
void patterns_of(const KeyNode& node, const std::string& path, std::vector<std::string>& out)
{
    std::vector<std::string> names;
    for (const auto& key : node.keys) {
        if (key->is_object() && key->keys.size() == 1 && !key->keys.front()->is_object()) {
            names.push_back(key->name + "." + key->keys.front()->name);
        } else if (key->is_object()) {
            patterns_of(*key, below(path, *key, key->name), out);
        } else {
            names.push_back(key->name + (key->info.form == Form::List ? "[]" : ""));
        }
    }
    if (!names.empty()) {
        out.push_back(path + "." + joined(names));
    }
}

/// The unit that all leaves of `node` have; "": they differ.
std::string unit_of(const KeyNode& node)
{
    if (!node.is_object()) {
        return to_string(node.info.unit);
    }
    std::string unit = unit_of(*node.keys.front());
    for (const auto& key : node.keys) {
        unit = unit_of(*key) == unit ? unit : "";
    }
    return unit;
}

void append_row(std::string& out, const std::vector<std::string>& keys, const KeyNode& node)
{
    out += "| ";
    for (std::size_t i = 0; i < keys.size(); ++i) {
        out += (i == 0 ? "`" : ", `") + keys[i] + "`";
    }
    std::string text = node.info.text;
    if (node.info.words.size() > 1) {
        text += ":";
        for (const std::string& word : node.info.words) {
            text += (word == node.info.words.front() ? " `" : ", `") + word + "`";
        }
    }
    if (!node.only.empty()) {
        text += "; only " + node.only;
    }
    const std::string unit = unit_of(node);
    out += " |" + (unit.empty() ? "" : " " + unit) + " | " + text + " |\n";
}

using Keys = std::vector<const KeyNode*>;

void append_keys(std::string& out, const Keys& keys, const std::string& path);

Keys keys_of(const KeyNode& object)
{
    Keys keys;
    for (const auto& key : object.keys) {
        keys.push_back(key.get());
    }
    return keys;
}

/// Its neighbours with the same table are shown together with it.
bool shown_together(const KeyNode& node)
{
    return node.is_object() && !node.table.empty() && node.show == Show::Rows;
}

/// `alike`: one key, or objects with the same table.
void append_key(std::string& out, const Keys& alike, const std::string& path)
{
    const KeyNode& node = *alike.front();
    if (!node.is_object()) {
        append_row(out, {below(path, node, node.name) + (node.info.form == Form::List ? "[]" : "")}, node);
    } else if (node.show == Show::InOne && !node.table.empty()) {
        std::vector<std::string> patterns;
        patterns_of(node, below(path, node, node.name), patterns);
        append_row(out, patterns, node);
    } else {
        std::vector<std::string> names;
        for (const KeyNode* object : alike) {
            names.push_back(object->name);
        }
        append_keys(out, keys_of(node), below(path, node, joined(names)));
    }
}

void append_keys(std::string& out, const Keys& keys, const std::string& path)
{
    for (std::size_t i = 0; i < keys.size();) {
        Keys alike{keys[i++]};
        while (shown_together(*alike.front()) && i < keys.size() && keys[i]->table == alike.front()->table &&
               keys[i]->info.form == alike.front()->info.form) {
            alike.push_back(keys[i++]);
        }
        append_key(out, alike, path);
    }
}

std::string table_of(const KeyNode& root, const std::vector<std::string>& names)
{
    Keys shown;
    for (const auto& key : root.keys) {
        if (std::find(names.begin(), names.end(), key->name) != names.end()) {
            shown.push_back(key.get());
        }
    }
    std::string out = "| key | unit | meaning |\n|---|---|---|\n";
    append_keys(out, shown, "");
    return out;
}

} // namespace

std::string page_with_tables(const std::string& page, const KeyNode& root, const std::set<std::string>& elsewhere)
{
    std::set<std::string> missing;
    for (const auto& key : root.keys) {
        if (elsewhere.count(key->name) == 0) {
            missing.insert(key->name);
        }
    }
    std::istringstream lines(page);
    std::string out;
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind(kBegin, 0) == 0) {
            if (inside) {
                throw InputError(line + ": the table before has no " + kEnd);
            }
            inside = true;
            std::istringstream words(line.substr(sizeof kBegin - 1));
            std::vector<std::string> names;
            for (std::string word; words >> word && word != "-->";) {
                if (missing.erase(word) == 0) {
                    throw InputError(line + ": " + word + " is no key, or another table shows it");
                }
                names.push_back(word);
            }
            out += line + "\n" + table_of(root, names);
        } else if (line == kEnd) {
            inside = false;
        }
        if (!inside) {
            out += line + "\n";
        }
    }
    if (inside) {
        throw InputError(std::string("the last table has no ") + kEnd);
    }
    if (!missing.empty()) {
        throw InputError("no table shows " + *missing.begin());
    }
    return out;
}

} // namespace tlmssd::observe
