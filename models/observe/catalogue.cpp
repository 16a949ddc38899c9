// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tree of a document's keys.
#include "models/observe/catalogue.h"

#include "models/common/error.h"

namespace tlmssd::observe {

namespace {

KeyNode* find(KeyNode& object, const std::string& name)
{
    for (const auto& key : object.keys) {
        if (key->name == name) {
            return key.get();
        }
    }
    return nullptr;
}

/// The object at dotted `path` below `object`; missing ones on the way are made.
KeyNode& object_at(KeyNode& object, const std::string& path)
{
    KeyNode* node = &object;
    for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t end = std::min(path.find('.', begin), path.size());
        const std::string name = path.substr(begin, end - begin);
        KeyNode* next = find(*node, name);
        if (next == nullptr) {
            node->keys.push_back(std::make_unique<KeyNode>());
            next = node->keys.back().get();
            next->name = name;
            next->info.form = Form::Object;
        } else if (!next->is_object()) {
            throw ModelError("statistics: " + name + " is a value and an object");
        }
        next->table.clear(); // it gets a key from elsewhere
        node = next;
        begin = end + 1;
    }
    return *node;
}

void add_rows(KeyNode& object, const TableInfo& table, const std::string& only);

void add_row(KeyNode& object, const StatisticInfo& row, const std::string& around)
{
    const std::string& only = row.only.empty() ? around : row.only;
    if (row.key.empty()) {
        add_rows(object, *row.table, only);
        return;
    }
    const std::size_t dot = row.key.rfind('.');
    KeyNode& parent = dot == std::string::npos ? object : object_at(object, row.key.substr(0, dot));
    const std::string name = dot == std::string::npos ? row.key : row.key.substr(dot + 1);
    if (row.table == nullptr) {
        if (find(parent, name) != nullptr) {
            throw ModelError("statistics: two rows for " + row.key);
        }
        parent.keys.push_back(std::make_unique<KeyNode>());
        KeyNode& leaf = *parent.keys.back();
        leaf.name = name;
        leaf.info = row;
        leaf.only = only;
        return;
    }
    const bool first = find(parent, name) == nullptr;
    KeyNode& node = object_at(parent, name);
    if (!first && node.info.form != row.form) {
        throw ModelError("statistics: " + row.key + " is an array and an object");
    }
    node.info.form = row.form;
    node.info.nullable = node.info.nullable || row.nullable;
    node.info.never_empty = row.never_empty;
    if (!row.text.empty()) {
        node.info.text = row.text;
    }
    node.table = first ? row.table->name : "";
    node.show = row.table->show;
    // Keys of an array's elements exist wherever the element does.
    add_rows(node, *row.table, row.form == Form::Objects ? "" : only);
    if (row.form == Form::Objects) {
        node.only = only;
    }
}

void add_rows(KeyNode& object, const TableInfo& table, const std::string& only)
{
    for (const StatisticInfo& row : table.rows) {
        add_row(object, row, only);
    }
}

/// An object exists always where one of its keys does, else where its first key does.
void set_only(KeyNode& node)
{
    if (!node.is_object()) {
        return;
    }
    bool always = node.keys.empty();
    for (const auto& key : node.keys) {
        set_only(*key);
        always = always || key->only.empty();
    }
    if (node.info.form == Form::Object) {
        node.only = always ? "" : node.keys.front()->only;
    }
}

void collect(const KeyNode& node, const std::string& path, const std::string& around,
             std::map<std::string, std::string>& leaves)
{
    const std::string& only = node.only.empty() ? around : node.only;
    if (!node.is_object()) {
        leaves.emplace(path + (node.info.form == Form::List ? "[]" : ""), only);
        return;
    }
    const std::string below = path + (node.info.form == Form::Objects ? "[]" : "");
    for (const auto& key : node.keys) {
        collect(*key, below.empty() ? key->name : below + "." + key->name, only, leaves);
    }
}

void collect(const Json& value, const std::string& path, std::set<std::string>& leaves)
{
    if (!value.is_structured() || value.empty()) {
        leaves.insert(path);
    } else if (value.is_array()) {
        for (const Json& element : value) {
            collect(element, path + "[]", leaves);
        }
    } else {
        for (const auto& [name, inner] : value.items()) {
            collect(inner, path.empty() ? name : path + "." + name, leaves);
        }
    }
}

} // namespace

KeyNode key_tree(const TableInfo& document)
{
    KeyNode root;
    root.info.form = Form::Object;
    add_rows(root, document, "");
    set_only(root);
    return root;
}

std::map<std::string, std::string> leaves_of(const KeyNode& root)
{
    std::map<std::string, std::string> leaves;
    collect(root, "", "", leaves);
    return leaves;
}

std::set<std::string> leaves_of(const Json& document)
{
    std::set<std::string> leaves;
    collect(document, "", leaves);
    return leaves;
}

} // namespace tlmssd::observe
