// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tlmssd-results: print or write what is made from the statistics' tables: schemas and reference.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/guest/statistics.h"
#include "models/observe/output/write_file.h"
#include "models/observe/results.h"
#include "models/replay/statistics.h"
#include "models/run/statistics.h"
#include "models/sample/statistics.h"

namespace {

using namespace tlmssd;

const char kUsage[] =
    "usage: tlmssd-results --schema          print the JSON Schema of results.json\n"
    "       tlmssd-results --replay-schema   print that of replay.json\n"
    "       tlmssd-results --guest-schema    print that of results.json of a guest\n"
    "       tlmssd-results --sample-schema   print that of sample.json\n"
    "       tlmssd-results --write           write all schemas and the tables of their pages in docs/; run it in the\n"
    "                                        repository's root\n";

std::string page_of(const observe::Document& document)
{
    std::ifstream file(document.page);
    if (!file) {
        throw InputError(document.page + ": cannot read it; run tlmssd-results in the repository's root");
    }
    std::ostringstream text;
    text << file.rdbuf();
    return observe::page_with_tables(text.str(), observe::key_tree(document.table), document.elsewhere);
}

int answer(const std::string& what)
{
    if (what == "--schema") {
        std::cout << observe::schema_of(run::results_document());
    } else if (what == "--replay-schema") {
        std::cout << observe::schema_of(replay::replay_document());
    } else if (what == "--guest-schema") {
        std::cout << observe::schema_of(guest::guest_document());
    } else if (what == "--sample-schema") {
        std::cout << observe::schema_of(sample::sample_document());
    } else if (what == "--write") {
        for (const observe::Document& document :
             {run::results_document(), replay::replay_document(), guest::guest_document(), sample::sample_document()}) {
            const std::string page = page_of(document);
            observe::write_file(document.page, page);
            observe::write_file(document.schema_file, observe::schema_of(document));
        }
    } else {
        (what == "--help" ? std::cout : std::cerr) << kUsage;
        return what == "--help" ? kExitDone : kExitInput;
    }
    return kExitDone;
}

} // namespace

/// The library of SystemC refers to it; nothing is simulated here.
int sc_main(int, char**) { return tlmssd::kExitModel; }

int main(int argc, char** argv)
{
    try {
        return answer(argc == 2 ? argv[1] : "");
    } catch (const std::exception& error) {
        std::cerr << "tlmssd-results: " << error.what() << "\n";
        return tlmssd::kExitInput;
    }
}
