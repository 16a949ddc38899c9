// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: fio job files among the settings: each of their jobs is an entry of workload.jobs.
#include <filesystem>

#include "models/config/fio/fio_job.h"
#include "models/config/rules/settings.h"
#include "models/config/rules/settings_paths.h"

namespace tlmssd::config {

void Settings::append_fio(std::vector<JobSettings>& list, const std::string& text,
                          const Origin& origin, const std::string& key, const std::string& base,
                          int rank)
{
    const std::string path = resolved_path(base, text);
    for (FioJob& item : fio_jobs(read(path, origin, key), path)) {
        JobSettings job;
        job.origin = item.map.origin;
        job.notes = std::move(item.notes);
        job.void_rank = rank; // the file says all: weaker plain keys of `workload` do not fill in
        job.preset = std::filesystem::path(path).stem().string();
        add_job_keys(job, "workload.jobs." + std::to_string(list.size()), item.map,
                     folder_of(path), rank);
        list.push_back(std::move(job));
    }
    open_.pop_back();
}

void Settings::add_fio(const std::string& text, const Origin& origin, const std::string& base,
                       int rank)
{
    std::vector<JobSettings> list;
    append_fio(list, text, origin, "workload.fio", base, rank + 1);
    if (jobs_rank_ <= rank) {
        jobs_ = std::move(list);
        jobs_rank_ = rank;
        preset_ = std::filesystem::path(text).stem().string();
    }
}

} // namespace tlmssd::config
