// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tlmssd-keys: print or write configs/schema.json and configs/README.md; write the names of the
// schedulers for the views of GTKWave.
#include <fstream>
#include <iostream>
#include <string>

#include "models/common/error.h"
#include "models/config/config.h"
#include "models/config/text/names.h"

namespace {

const char kUsage[] = "usage: tlmssd-keys --schema      print the JSON Schema of configurations\n"
                      "       tlmssd-keys --reference   print the key reference (Markdown)\n"
                      "       tlmssd-keys --write       write configs/schema.json, configs/README.md and "
                      "waves/filters/scheduler.txt; run it in the repository's root\n";

/// Lines `VALUE NAME`, the value as GTKWave writes a signal of four bits.
std::string scheduler_filter()
{
    std::string text = "# tlmssd: scheduler of the firmware\n";
    const auto& names = tlmssd::config::names_of<tlmssd::config::Scheduler>();
    for (std::size_t value = 0; value < names.size(); ++value) {
        text += std::string(1, "0123456789abcdef"[value & 15]) + ' ' + names[value] + '\n';
    }
    return text;
}

bool write(const char* path, const std::string& text)
{
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out) {
        std::cerr << "tlmssd-keys: cannot write " << path << "\n";
    }
    return out.good();
}

} // namespace

int main(int argc, char** argv)
{
    const std::string what = argc == 2 ? argv[1] : "";
    if (what == "--schema") {
        std::cout << tlmssd::config::json_schema();
        return tlmssd::kExitDone;
    }
    if (what == "--reference") {
        std::cout << tlmssd::config::key_reference();
        return tlmssd::kExitDone;
    }
    if (what == "--write") {
        const bool done = write("configs/schema.json", tlmssd::config::json_schema()) &&
                          write("configs/README.md", tlmssd::config::key_reference()) &&
                          write("waves/filters/scheduler.txt", scheduler_filter());
        return done ? tlmssd::kExitDone : tlmssd::kExitInput;
    }
    const bool help = what == "--help";
    (help ? std::cout : std::cerr) << kUsage;
    return help ? tlmssd::kExitDone : tlmssd::kExitInput;
}
