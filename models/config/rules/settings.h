// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the user gave: each key's winning value, who gave it and with what precedence.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/config/keys/keys.h"
#include "models/config/text/origin.h"
#include "models/config/text/raw.h"

namespace tlmssd::config {

/// Precedence: files count up by kRankStep in the order in which they take effect (an included file
/// before the file that includes it); --set beats files, a single key beats a preset. A key of a
/// job of workload.jobs has the odd rank above its source's: it beats that source's key for all jobs.
inline constexpr int kRankStep = 2;
inline constexpr int kRankSet = 1 << 30;
inline constexpr int kRankSetReference = kRankSet - kRankStep;
inline constexpr int kRankDefault = -1;

struct Setting {
    Value value;
    Origin origin;
    int rank = kRankDefault;
    bool of_preset = false; ///< of a job: its preset gave it, which the job's own keys of this rank beat
};

/// `a` is from a weaker source than `b`.
inline bool is_weaker(const Setting& a, const Setting& b)
{
    return a.rank < b.rank || (a.rank == b.rank && a.of_preset && !b.of_preset);
}

/// One entry of workload.jobs: settings by the key's plain path (workload.rw).
struct JobSettings {
    std::map<std::string, Setting> settings;
    int void_rank = kRankDefault; ///< a preset: what ranks up to here say for all jobs is void
    std::string preset;           ///< its name
    Origin origin;
    std::map<std::string, Setting> beaten{}; ///< the last weaker setting of each key
    std::vector<std::string> notes{};        ///< of a fio job file: what it asked for and does not get
};

using JobList = std::vector<JobSettings>;

/// Reads files and --set texts into settings. Types and ranges of single values are checked here.
class Settings {
public:
    /// Read a file, its includes first.
    void add_file(const std::string& path);
    /// The same for text; relative paths start at ".".
    void add_text(const std::string& text, const std::string& name);
    /// One `--set` text "a.b=c".
    void add_set(const std::string& set);
    /// Jobs from the command line: they replace the list. They rank as presets of --set do.
    void add_arguments(const std::vector<JobArguments>& arguments);
    /// `--mode` of a replay: controller.mode, as strong as --set, and need not fit the scheduler.
    void force_mode(ControllerMode mode);
    bool mode_forced() const { return mode_forced_; }

    /// Null where the user did not give the key.
    const Setting* find(const std::string& key) const;
    /// The last setting that a stronger one has replaced; null: none.
    const Setting* beaten(const std::string& key) const;
    /// Of the main file: what the user should hear of it.
    const std::vector<std::string>& notes() const { return notes_; }
    /// Of the key, or kRankDefault.
    int rank(const std::string& key) const;
    /// Where the key was given, else the main file as a whole.
    Origin where(const std::string& key) const;
    const std::map<std::string, Setting>& all() const { return settings_; }
    void erase(const std::string& key) { settings_.erase(key); }

    /// workload.jobs; empty: the plain keys of `workload` are the only job.
    const JobList& jobs() const { return jobs_; }
    /// Of the source that gave the list or, later, changed it.
    int jobs_rank() const { return jobs_rank_; }
    void drop_jobs() { jobs_.clear(); }
    /// The keys of job number `job`: the plain keys, replaced by the job's own where these come from
    /// a source as strong or stronger.
    Settings of_job(std::size_t job) const;
    /// The settings without those of the jobs.
    Settings of_run() const;
    /// The name of the preset that `workload` names; empty: none.
    const std::string& preset() const { return preset_; }
    /// of_job(): is it the run's setting of `key` that counts, not one of the job's own?
    bool for_all_jobs(const std::string& key) const;
    /// `key` as the user finds it: workload.jobs.0.rw where the job gave it, --mode where that did.
    std::string shown_key(const std::string& key) const;

private:
    void add_root(const RawNode& root, const std::string& base);
    void add_includes(const RawNode& node, const std::string& base);
    void add_include(const RawNode& node, const std::string& base);
    void add_map(const std::string& section, const RawNode& map, const std::string& base, int rank);
    void add_entry(const std::string& section, const RawNode& key, const RawNode& value,
                   const std::string& base, int rank);
    void add_reference(const Section& section, const std::string& text, const Origin& origin,
                       const std::string& base, int rank);
    void assign(const Key& key, const std::string& text, bool quoted, const Origin& origin,
                const std::string& base, int rank);
    void add_jobs(const RawNode& node, const std::string& base, int rank);
    void append_job(JobList& list, const RawNode& item, const std::string& base, int rank);
    void add_job_keys(JobSettings& job, const std::string& shown_as, const RawNode& map,
                      const std::string& base, int rank);
    void add_job_reference(JobSettings& job, const std::string& shown_as, const std::string& text,
                           const Origin& origin, const std::string& base, int rank);
    /// The jobs of a fio job file, at the end of `list`; `key`: who names the file.
    void append_fio(std::vector<JobSettings>& list, const std::string& text, const Origin& origin,
                    const std::string& key, const std::string& base, int rank);
    void add_fio(const std::string& text, const Origin& origin, const std::string& base, int rank);
    void add_job_set(const std::string& path, const std::string& text, bool quoted,
                     const Origin& origin);
    static void assign_to_job(JobSettings& job, const std::string& shown_as, const Key& key,
                              const std::string& text, bool quoted, const Origin& origin,
                              const std::string& base, int rank);
    std::string find_preset(const std::string& name, const std::string& key, const Origin& origin,
                            const std::string& base) const;
    std::string read(const std::string& path, const Origin& origin, const std::string& key);

    void note_no_keys(const RawNode& root);

    std::map<std::string, Setting> settings_;
    std::map<std::string, Setting> beaten_;
    std::vector<std::string> notes_;
    std::string main_name_;
    std::vector<std::string> open_;  ///< files being read, canonical: finds cycles
    std::vector<std::string> bases_; ///< folders of the files read so far
    JobList jobs_;
    int jobs_rank_ = kRankDefault;
    std::string preset_;
    std::string job_path_; ///< of_job(): "workload.jobs.N"
    Origin job_origin_;    ///< and where it stands
    bool mode_forced_ = false;
    int next_rank_ = 0;
    int files_read_ = 0;
};

} // namespace tlmssd::config
