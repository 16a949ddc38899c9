// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tlmssd-keys: print or write configs/schema.json and configs/README.md.
#include <fstream>
#include <iostream>
#include <string>

#include "models/common/error.h"
#include "models/config/config.h"

namespace {

const char kUsage[] = "usage: tlmssd-keys --schema      print the JSON Schema of configurations\n"
                      "       tlmssd-keys --reference   print the key reference (Markdown)\n"
                      "       tlmssd-keys --write       write configs/schema.json and "
                      "configs/README.md; run it in the repository's root\n";

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
                          write("configs/README.md", tlmssd::config::key_reference());
        return done ? tlmssd::kExitDone : tlmssd::kExitInput;
    }
    const bool help = what == "--help";
    (help ? std::cout : std::cerr) << kUsage;
    return help ? tlmssd::kExitDone : tlmssd::kExitInput;
}
