// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: includes, presets, part files and --set, flattened to one value a key.
#include "models/config/rules/settings.h"

#include <algorithm>
#include <filesystem>

#include "models/config/keys/renamed.h"
#include "models/config/keys/value.h"
#include "models/config/rules/named_files.h"
#include "models/config/rules/settings_paths.h"

namespace tlmssd::config {
namespace fs = std::filesystem;
namespace {

constexpr int kMaxFiles = 64;
const std::string kJobs = "workload.jobs";
const std::string kFio = "workload.fio";

/// The message for a word that is no key of `section`: the same word elsewhere, else the nearest.
[[noreturn]] void unknown_key(const std::string& section, const RawNode& key)
{
    if (const std::string renamed = renamed_hint(joined(section, key.text)); !renamed.empty()) {
        fail(key.origin, joined(section, key.text), renamed);
    }
    std::string hint;
    if (find_key(key.text) != nullptr && key.text.find('.') != std::string::npos) {
        hint = "; keys are nested: did you mean '" + find_key(key.text)->name() + "' in the map '" +
               find_key(key.text)->section() + "'?";
    }
    for (const Key& other : keys()) {
        if (hint.empty() && other.name() == key.text) {
            hint = "; did you mean '" + other.path + "'?";
        }
    }
    if (hint.empty()) {
        hint = did_you_mean(key.text, names_in(section));
    }
    fail(key.origin, joined(section, shown(key.text)), "unknown key" + hint);
}

/// Every path that --set takes.
std::vector<std::string> settable()
{
    std::vector<std::string> paths;
    for (const Key& key : keys()) {
        paths.push_back(key.path);
    }
    for (const Section& section : sections()) {
        if (section.reference != Section::Reference::None) {
            paths.push_back(section.path);
        }
    }
    return paths;
}

} // namespace

void Settings::add_file(const std::string& path)
{
    main_name_ = path;
    const std::string text = read(path, Origin{path, 0, 0, ""}, "");
    const RawNode root = parse_yaml(text, path);
    note_no_keys(root);
    add_root(root, folder_of(path));
    open_.pop_back();
}

void Settings::add_text(const std::string& text, const std::string& name)
{
    main_name_ = name;
    bases_.push_back(".");
    const RawNode root = parse_yaml(text, name);
    note_no_keys(root);
    add_root(root, ".");
}

void Settings::note_no_keys(const RawNode& root)
{
    if (root.kind == RawNode::Kind::Null || (root.kind == RawNode::Kind::Map && root.entries.empty())) {
        notes_.push_back(Origin{main_name_, 0, 0, ""}.text() + ": holds no key: the device has the defaults of all keys");
    }
}

void Settings::add_set(const std::string& set)
{
    Origin origin;
    origin.set = set;
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
        origin.set = set.empty() ? "''" : set;
        fail(origin, "", "expected key=value, as in cpu.mhz=400");
    }
    const std::string path = set.substr(0, equals);
    std::string text = set.substr(equals + 1);
    check_characters(set, origin.text());
    const Key* key = find_key(path);
    const Section* section = find_section(path);
    const bool in_job = path.compare(0, kJobs.size() + 1, kJobs + ".") == 0;
    if (path == kJobs) {
        add_jobs(parse_yaml(text, origin.text()), ".", kRankSet);
        return;
    }
    if (path == kFio) {
        add_fio(text, origin, ".", kRankSetReference);
        return;
    }
    if (key == nullptr && section == nullptr && !in_job) {
        const std::string renamed = renamed_hint(path);
        fail(origin, shown(path), path == "include"  ? "can only stand in a file"
                                  : !renamed.empty() ? renamed
                                                     : "unknown key" + did_you_mean(path, settable()));
    }
    bool quoted = false;
    if (!text.empty() && (text[0] == '"' || text[0] == '\'')) {
        const RawNode node = parse_yaml(text, origin.text());
        if (node.kind != RawNode::Kind::Scalar) {
            fail(origin, path, "expected one value, found " + node.what());
        }
        text = node.text;
        quoted = true;
    }
    if (in_job) {
        add_job_set(path, text, quoted, origin);
        return;
    }
    const bool may_be_empty =
        key != nullptr && (key->type == Type::Text || key->type == Type::File);
    if (text.empty() && !may_be_empty) {
        fail(origin, path, "no value");
    }
    if (key != nullptr) {
        assign(*key, text, quoted, origin, ".", kRankSet);
    } else if (section->reference == Section::Reference::None) {
        fail(origin, path, "is a map of keys; set one of them, as in " +
                               joined(path, names_in(path).front()) + "=...");
    } else {
        add_reference(*section, text, origin, ".", kRankSetReference);
    }
}

void Settings::force_mode(ControllerMode mode)
{
    Origin origin;
    origin.set = std::string("--mode ") + to_string(mode);
    assign(*find_key("controller.mode"), to_string(mode), false, origin, ".", kRankSet);
    mode_forced_ = true;
}

const Setting* Settings::find(const std::string& key) const
{
    const auto found = settings_.find(key);
    return found == settings_.end() ? nullptr : &found->second;
}

const Setting* Settings::beaten(const std::string& key) const
{
    const auto found = beaten_.find(key);
    return found == beaten_.end() ? nullptr : &found->second;
}

int Settings::rank(const std::string& key) const
{
    const Setting* setting = find(key);
    return setting == nullptr ? kRankDefault : setting->rank;
}

Origin Settings::where(const std::string& key) const
{
    const Setting* setting = find(key);
    if (setting != nullptr) {
        return setting->origin;
    }
    return job_path_.empty() ? Origin{main_name_, 0, 0, ""} : job_origin_;
}

std::string Settings::read(const std::string& path, const Origin& origin, const std::string& key)
{
    std::error_code ignored;
    const std::string canonical = fs::weakly_canonical(path, ignored).string();
    if (std::find(open_.begin(), open_.end(), canonical) != open_.end()) {
        fail(origin, key, shown_path(path) + " includes itself");
    }
    if (++files_read_ > kMaxFiles) {
        fail(origin, key, "more than " + std::to_string(kMaxFiles) + " files");
    }
    std::string text = read_text(path, origin, key);
    open_.push_back(canonical);
    bases_.push_back(folder_of(path));
    return text;
}

void Settings::add_root(const RawNode& root, const std::string& base)
{
    if (root.kind == RawNode::Kind::Null) {
        return;
    }
    if (root.kind != RawNode::Kind::Map) {
        fail(root.origin, "", "expected a map of keys, found " + root.what());
    }
    for (const auto& [key, value] : root.entries) {
        if (key.text == "include") {
            add_includes(value, base);
        }
    }
    add_map("", root, base, next_rank_);
    next_rank_ += kRankStep;
}

void Settings::add_includes(const RawNode& node, const std::string& base)
{
    if (node.kind == RawNode::Kind::Sequence) {
        for (const RawNode& item : node.items) {
            add_include(item, base);
        }
    } else {
        add_include(node, base);
    }
}

void Settings::add_include(const RawNode& node, const std::string& base)
{
    if (node.kind != RawNode::Kind::Scalar || node.text.empty()) {
        fail(node.origin, "include", "expected a path or a list of paths, found " + node.what());
    }
    const std::string path = resolved_path(base, node.text);
    const std::string text = read(path, node.origin, "include");
    add_root(parse_yaml(text, path), folder_of(path));
    open_.pop_back();
}

void Settings::add_map(const std::string& section, const RawNode& map, const std::string& base,
                       int rank)
{
    for (const auto& [key, value] : map.entries) {
        if (!section.empty() || key.text != "include") {
            add_entry(section, key, value, base, rank);
        }
    }
}

void Settings::add_entry(const std::string& section, const RawNode& key, const RawNode& value,
                         const std::string& base, int rank)
{
    const std::string path = joined(section, key.text);
    if (key.text.find('.') != std::string::npos || key.text.empty()) {
        unknown_key(section, key);
    }
    if (const Key* row = find_key(path)) {
        if (value.kind == RawNode::Kind::Null) {
            fail(value.origin, path, "no value");
        }
        if (value.kind != RawNode::Kind::Scalar) {
            fail(value.origin, path, "expected one value, found " + value.what());
        }
        assign(*row, value.text, value.quoted, value.origin, base, rank);
        return;
    }
    if (path == kJobs) {
        add_jobs(value, base, rank);
        return;
    }
    if (path == kFio) {
        if (value.kind != RawNode::Kind::Scalar || value.text.empty()) {
            fail(value.origin, path, "expected the path of a fio job file, found " + value.what());
        }
        add_fio(value.text, value.origin, base, rank);
        return;
    }
    const Section* inner = find_section(path);
    if (inner == nullptr) {
        unknown_key(section, key);
    }
    const bool reference = inner->reference != Section::Reference::None;
    if (value.kind == RawNode::Kind::Map) {
        add_map(path, value, base, rank);
    } else if (value.kind == RawNode::Kind::Scalar && reference && !value.text.empty()) {
        add_reference(*inner, value.text, value.origin, base, rank);
    } else if (value.kind != RawNode::Kind::Null) {
        fail(value.origin, path, std::string("expected a map of keys") +
                                     (reference ? " or the name of a file" : "") + ", found " +
                                     value.what());
    }
}

void Settings::add_reference(const Section& section, const std::string& text, const Origin& origin,
                             const std::string& base, int rank)
{
    const bool preset = section.reference == Section::Reference::Preset && !is_path(text);
    const std::string path = preset ? find_preset(text, section.path, origin, base)
                                    : resolved_path(base, text);
    // The file stands for the whole map: what weaker sources said about the section is void.
    const std::string prefix = section.path + ".";
    for (auto it = settings_.begin(); it != settings_.end();) {
        const bool inside = it->first.compare(0, prefix.size(), prefix) == 0;
        it = inside && it->second.rank <= rank ? settings_.erase(it) : std::next(it);
    }
    for (auto it = beaten_.begin(); it != beaten_.end();) {
        it = it->first.compare(0, prefix.size(), prefix) == 0 ? beaten_.erase(it) : std::next(it);
    }
    if (section.path == "workload" && is_fio(path)) {
        add_fio(path, origin, ".", rank);
        return;
    }
    if (section.path == "workload") {
        preset_ = fs::path(path).stem().string();
        if (jobs_rank_ <= rank) {
            jobs_.clear();
        }
    }
    const RawNode root = parse_yaml(read(path, origin, section.path), path);
    if (root.kind != RawNode::Kind::Map) {
        fail(Origin{path, 1, 1, ""}, section.path,
             "expected a map of the keys of '" + section.path + "', found " + root.what());
    }
    const std::string name_key = prefix + "name";
    add_map(section.path, root, folder_of(path), rank);
    if (find(name_key) == nullptr) {
        settings_[name_key] = {Value{0, 0, fs::path(path).stem().string()}, origin, rank};
    }
    open_.pop_back();
}

void Settings::assign(const Key& key, const std::string& text, bool quoted, const Origin& origin,
                      const std::string& base, int rank)
{
    Value value = parse_value(key, text, quoted, origin);
    if (key.type == Type::File && !value.text.empty()) {
        value.text = resolved_path(base, value.text);
    }
    Setting& setting = settings_[key.path];
    if (setting.rank <= rank) {
        if (setting.rank != kRankDefault && setting.rank < rank) {
            beaten_[key.path] = setting;
        }
        setting = {std::move(value), origin, rank};
    }
}

std::string Settings::find_preset(const std::string& name, const std::string& key,
                                  const Origin& origin, const std::string& base) const
{
    std::vector<std::string> folders{base};
    folders.insert(folders.end(), bases_.begin(), bases_.end());
    for (std::string& folder : folders) {
        folder = resolved_path(folder, "../workloads");
    }
    for (std::string& folder : named_folders(NamedKind::Workload)) {
        folders.push_back(std::move(folder));
    }
    if (std::optional<std::string> path = find_named(name, folders)) {
        return *path;
    }
    fail(origin, key, "no preset '" + shown(name) + "' (looked for " + shown(name) +
                          ".yaml in the folder workloads beside the configuration's folder and in "
                          "configs/workloads)" +
                          did_you_mean(name, names_of_files(folders)));
}

} // namespace tlmssd::config
