// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what is made from the tables of a document: its tree of keys, its JSON Schema, its reference.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/observe/statistics.h"

namespace tlmssd::observe {

/// A key of a document with all that its tables say about it.
struct KeyNode {
    std::string name;
    StatisticInfo info;  ///< of an object: text, nullable and only; form: Object, or Objects for an array of them
    std::string table;   ///< name of the one table that the object's keys come from; "": none, or several
    Show show = Show::Rows;
    std::string only;    ///< when it exists; of an object: when any of its keys does
    std::vector<std::unique_ptr<KeyNode>> keys;

    bool is_object() const { return info.form == Form::Object || info.form == Form::Objects; }
    /// Whether `key`, one of `keys`, exists wherever this object does.
    bool always_has(const KeyNode& key) const { return key.only.empty() || key.only == only; }
};

/// The root of a document's keys. ModelError: two rows of one key, or a row that contradicts another.
KeyNode key_tree(const TableInfo& document);

/// All leaves: "host.reads.count", "flash.channels[].busy_s", "cpu.busy_fraction[]". With when they exist, "": always.
std::map<std::string, std::string> leaves_of(const KeyNode& root);
/// The leaves that a document has, written in the same way; an object or array that is null or empty is no leaf and
/// is named itself.
std::set<std::string> leaves_of(const Json& document);

/// A kind of document that the program writes.
struct Document {
    std::string id; ///< of its schema, and the value of its key `schema`
    std::string title;
    std::string description;
    std::string schema_file; ///< from the repository's root
    std::string page;        ///< that explains its keys, from the repository's root
    TableInfo table;
    std::set<std::string> elsewhere = {}; ///< keys of its root that another document's page shows
};

/// JSON Schema (draft 2020-12) with a description and the unit of each key.
std::string schema_of(const Document& document);

/// `page`, Markdown, with the tables between its marks made again. A line `<!-- statistics: ftl buffer -->` begins
/// the table of the named keys of the root; `<!-- end of statistics -->` ends it. InputError: a
/// mark without its end, a key that the document does not have, or one that no table or several
/// tables show. `elsewhere`: keys of the root that another page shows.
std::string page_with_tables(const std::string& page, const KeyNode& root, const std::set<std::string>& elsewhere = {});

} // namespace tlmssd::observe
