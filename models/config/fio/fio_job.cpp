// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: fio job files as a list of jobs in the words of `workload`.
#include "models/config/fio/fio_job.h"

#include <algorithm>

#include "models/config/fio/fio_options.h"
#include "models/config/fio/fio_translator.h"

namespace tlmssd::config {

std::vector<FioJob> fio_jobs(const std::string& text, const std::string& name)
{
    const std::vector<FioSection> sections = parse_fio_file(text, name);
    const bool priorities =
        std::any_of(sections.begin(), sections.end(), [](const FioSection& section) {
            return section.options.count("prio") != 0 || section.options.count("prioclass") != 0;
        });
    std::vector<FioJob> list;
    for (const FioSection& section : sections) {
        check_fio_options(section, &section == &sections.front());
        FioTranslator translator(section, priorities);
        for (RawNode& job : translator.jobs()) {
            list.push_back({std::move(job), translator.notes()});
        }
    }
    return list;
}

} // namespace tlmssd::config
