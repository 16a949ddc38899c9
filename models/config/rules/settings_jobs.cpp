// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: workload.jobs: a list of maps with the keys of `workload`, one map a job.
#include <algorithm>
#include <filesystem>

#include "models/config/keys/renamed.h"
#include "models/config/keys/value.h"
#include "models/config/rules/settings.h"
#include "models/config/rules/settings_paths.h"

namespace tlmssd::config {
namespace {

const std::string kSection = "workload";
const std::string kJobs = "workload.jobs";
const std::string kReference = "workload"; ///< in a job: the name of a preset or a path

std::string path_of(std::size_t job) { return kJobs + "." + std::to_string(job); }

/// Every word that may stand in a job.
std::vector<std::string> names_in_job()
{
    std::vector<std::string> names{kReference};
    for (const Key& key : keys()) {
        if (is_job_key(key)) {
            names.push_back(key.name());
        }
    }
    return names;
}

[[noreturn]] void unknown_key(const std::string& shown_as, const std::string& word,
                              const Origin& origin)
{
    const Key* key = find_key(joined(kSection, word));
    const std::string path = joined(shown_as, shown(word));
    if (key != nullptr || word == "jobs") {
        fail(origin, path,
             "belongs to the whole run; it stands beside " + kJobs + ", not in a job");
    }
    const std::string renamed = renamed_hint(joined(kSection, word));
    fail(origin, path, !renamed.empty() ? renamed : "unknown key" + did_you_mean(word, names_in_job()));
}

} // namespace

void Settings::add_jobs(const RawNode& node, const std::string& base, int rank)
{
    if (node.kind != RawNode::Kind::Sequence) {
        fail(node.origin, kJobs, "expected a list of jobs, found " + node.what());
    }
    JobList list;
    for (const RawNode& item : node.items) {
        append_job(list, item, base, rank + 1);
    }
    if (jobs_rank_ <= rank) {
        jobs_ = std::move(list);
        jobs_rank_ = rank;
    }
}

void Settings::append_job(JobList& list, const RawNode& item, const std::string& base, int rank)
{
    const std::string shown_as = path_of(list.size());
    const bool is_map = item.kind == RawNode::Kind::Map;
    const RawNode* reference = is_map ? nullptr : &item;
    for (const auto& [key, value] : item.entries) {
        if (key.text == kReference) {
            reference = &value;
        }
    }
    const std::string where = is_map ? joined(shown_as, kReference) : shown_as;
    if (reference != nullptr &&
        (reference->kind != RawNode::Kind::Scalar || reference->text.empty())) {
        fail(reference->origin, where,
             std::string("expected ") + (is_map ? "" : "a map of keys or ") +
                 "the name of a preset or a path, found " + reference->what());
    }
    const std::size_t first = list.size();
    if (reference != nullptr && is_fio(reference->text)) {
        append_fio(list, reference->text, reference->origin, where, base, rank);
    } else {
        list.emplace_back();
        list.back().origin = item.origin;
        if (reference != nullptr) { // first: single keys stay whatever their order
            add_job_reference(list.back(), where, reference->text, reference->origin, base, rank);
        }
    }
    for (std::size_t i = first; i < list.size(); ++i) {
        add_job_keys(list[i], path_of(i), item, base, rank);
    }
}

void Settings::add_job_keys(JobSettings& job, const std::string& shown_as, const RawNode& map,
                            const std::string& base, int rank)
{
    for (const auto& [key, value] : map.entries) {
        const Key* row = find_key(joined(kSection, key.text));
        if (key.text == kReference) {
            continue;
        }
        if (row == nullptr || !is_job_key(*row)) {
            unknown_key(shown_as, key.text, key.origin);
        }
        const std::string path = joined(shown_as, key.text);
        if (value.kind == RawNode::Kind::Null) {
            fail(value.origin, path, "no value");
        }
        if (value.kind != RawNode::Kind::Scalar) {
            fail(value.origin, path, "expected one value, found " + value.what());
        }
        assign_to_job(job, path, *row, value.text, value.quoted, value.origin, base, rank);
    }
}

void Settings::add_job_reference(JobSettings& job, const std::string& shown_as,
                                 const std::string& text, const Origin& origin,
                                 const std::string& base, int rank)
{
    const std::string path = is_path(text) ? resolved_path(base, text)
                                           : find_preset(text, shown_as, origin, base);
    for (auto it = job.settings.begin(); it != job.settings.end();) {
        it = it->second.rank <= rank ? job.settings.erase(it) : std::next(it);
    }
    job.void_rank = std::max(job.void_rank, rank);
    job.preset = std::filesystem::path(path).stem().string();
    const RawNode root = parse_yaml(read(path, origin, shown_as), path);
    if (root.kind != RawNode::Kind::Map) {
        fail(Origin{path, 1, 1, ""}, shown_as,
             "expected a map of the keys of '" + kSection + "', found " + root.what());
    }
    for (const auto& [key, value] : root.entries) {
        if (key.text == kReference) {
            fail(key.origin, joined(shown_as, kReference), "a preset cannot name another");
        }
    }
    add_job_keys(job, shown_as, root, folder_of(path), rank);
    for (auto& [key, setting] : job.settings) {
        setting.of_preset = setting.of_preset || setting.rank == rank;
    }
    job.beaten.clear();
    Setting& name = job.settings[joined(kSection, "name")];
    if (name.rank == kRankDefault) {
        name = {Value{0, 0, job.preset}, origin, rank};
    }
    open_.pop_back();
}

void Settings::add_arguments(const std::vector<JobArguments>& arguments)
{
    JobList list;
    for (const JobArguments& job : arguments) {
        const Origin origin{"", 0, 0, job.option};
        const auto scalar = [&origin](const std::string& text) {
            RawNode node;
            node.kind = RawNode::Kind::Scalar;
            node.origin = origin;
            node.text = text;
            return node;
        };
        RawNode map;
        map.kind = RawNode::Kind::Map;
        map.origin = origin;
        for (const auto& [key, value] : job.keys) {
            check_characters(value, origin.text());
            map.entries.emplace_back(scalar(key), scalar(value));
        }
        append_job(list, map, ".", kRankSetReference + 1);
    }
    jobs_ = std::move(list);
    jobs_rank_ = kRankSetReference;
}

/// `--set workload.jobs.N=PRESET`, `workload.jobs.N.key=value`; N one behind the last adds a job.
void Settings::add_job_set(const std::string& path, const std::string& text, bool quoted,
                           const Origin& origin)
{
    const std::string rest = path.substr(kJobs.size() + 1);
    const std::size_t dot = rest.find('.');
    const std::string digits = rest.substr(0, dot);
    const std::string word = dot == std::string::npos ? kReference : rest.substr(dot + 1);
    const bool number = !digits.empty() && digits.size() <= 6 &&
                        digits.find_first_not_of("0123456789") == std::string::npos;
    const std::size_t index = number ? std::stoul(digits) : 0;
    if (!number || index > jobs_.size()) {
        fail(origin, shown(path),
             jobs_.empty() ? "there are no jobs; the first is " + path_of(0)
                           : "there are the jobs " + path_of(0) + " to " +
                                 std::to_string(jobs_.size() - 1) + "; the next is " +
                                 path_of(jobs_.size()));
    }
    const Key* key = find_key(joined(kSection, word));
    if (word != kReference && (key == nullptr || !is_job_key(*key))) {
        unknown_key(path_of(index), word, origin);
    }
    const bool may_be_empty =
        word != kReference && (key->type == Type::Text || key->type == Type::File);
    if (text.empty() && !may_be_empty) {
        fail(origin, path, "no value");
    }
    if (word == kReference && is_fio(text)) {
        if (index != jobs_.size()) {
            fail(origin, path, "a fio job file adds jobs; the next is " + path_of(jobs_.size()));
        }
        append_fio(jobs_, text, origin, path, ".", kRankSetReference + 1);
        jobs_rank_ = kRankSet;
        return;
    }
    jobs_rank_ = kRankSet;
    if (index == jobs_.size()) {
        jobs_.emplace_back();
        jobs_.back().origin = origin;
    }
    if (word == kReference) {
        add_job_reference(jobs_[index], path, text, origin, ".", kRankSetReference + 1);
    } else {
        assign_to_job(jobs_[index], path, *key, text, quoted, origin, ".", kRankSet + 1);
    }
}

void Settings::assign_to_job(JobSettings& job, const std::string& shown_as, const Key& key,
                             const std::string& text, bool quoted, const Origin& origin,
                             const std::string& base, int rank)
{
    Key named = key; // so that messages name the key as the user wrote it
    named.path = shown_as;
    Value value = parse_value(named, text, quoted, origin);
    if (key.type == Type::File && !value.text.empty()) {
        value.text = resolved_path(base, value.text);
    }
    Setting& setting = job.settings[key.path];
    if (setting.rank <= rank) {
        const Setting stronger{std::move(value), origin, rank};
        if (setting.rank != kRankDefault && is_weaker(setting, stronger)) {
            job.beaten[key.path] = setting;
        }
        setting = stronger;
    }
}

Settings Settings::of_run() const
{
    Settings run = *this;
    run.jobs_.clear();
    for (const auto& [path, setting] : settings_) {
        const Key* key = find_key(path);
        if (is_job_key(*key) && path != "workload.name") {
            run.settings_.erase(path);
        }
    }
    return run;
}

Settings Settings::of_job(std::size_t job) const
{
    const JobSettings& own = jobs_[job];
    Settings merged = *this;
    merged.jobs_.clear();
    merged.job_path_ = path_of(job);
    merged.job_origin_ = own.origin;
    merged.preset_ = own.preset;
    merged.settings_.erase("workload.name"); // of the run as a whole
    for (const auto& [path, setting] : settings_) {
        if (is_job_key(*find_key(path)) && setting.rank <= own.void_rank) {
            merged.settings_.erase(path);
        }
    }
    for (const auto& [path, setting] : own.beaten) {
        merged.beaten_[path] = setting;
    }
    for (const auto& [path, setting] : own.settings) {
        Setting& winner = merged.settings_[path];
        if (winner.rank > setting.rank) {
            merged.beaten_[path] = setting;
            continue;
        }
        if (winner.rank != kRankDefault && winner.rank < setting.rank) {
            merged.beaten_[path] = winner;
        }
        winner = setting;
    }
    return merged;
}

bool Settings::for_all_jobs(const std::string& key) const
{
    const Setting* setting = find(key);
    // odd ranks are those of a job
    return !job_path_.empty() && setting != nullptr && setting->rank % kRankStep == 0 &&
           is_job_key(*find_key(key));
}

std::string Settings::shown_key(const std::string& key) const
{
    if (mode_forced_ && key == "controller.mode") {
        return "--mode";
    }
    const Key* row = find_key(key);
    const bool of_job = !job_path_.empty() && row != nullptr && is_job_key(*row);
    return of_job && !for_all_jobs(key) ? job_path_ + key.substr(kSection.size()) : key;
}

} // namespace tlmssd::config
