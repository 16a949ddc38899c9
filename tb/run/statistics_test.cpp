// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: schemas and pages of results.json, replay.json and of guests are those of their tables, which forget no counter.
#include <fstream>
#include <gmock/gmock.h>
#include <map>
#include <set>

#include "models/config/keys/keys.h"
#include "models/config/keys/renamed.h"
#include "models/guest/statistics.h"
#include "models/observe/catalogue.h"
#include "models/replay/statistics.h"
#include "models/run/statistics.h"

namespace tlmssd::run {
namespace {

const char kStale[] = " is stale; run build/release/bin/tlmssd-results --write in the repository's root";

/// Tests run in the repository's root.
std::string file_text(const std::string& path)
{
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

void expect_current(const observe::Document& document)
{
    EXPECT_TRUE(file_text(document.schema_file) == observe::schema_of(document)) << document.schema_file << kStale;
    const std::string page = file_text(document.page);
    EXPECT_TRUE(page == observe::page_with_tables(page, observe::key_tree(document.table), document.elsewhere))
        << document.page << kStale;
}

TEST(Generated, SchemaAndPageOfResultsAreCurrent) { expect_current(results_document()); }
TEST(Generated, SchemaAndPageOfReplayAreCurrent) { expect_current(replay::replay_document()); }
TEST(Generated, SchemaAndPageOfGuestsAreCurrent) { expect_current(guest::guest_document()); }

void expect_described(const observe::TableInfo& table, const std::string& path)
{
    for (const observe::StatisticInfo& row : table.rows) {
        const std::string at = path + "." + row.key;
        const bool number = row.form == observe::Form::Number ||
                            (row.form == observe::Form::List && row.element == observe::Form::Number);
        EXPECT_TRUE(row.key.empty() || !row.text.empty()) << at << " has no sentence";
        EXPECT_TRUE(row.text.empty() || row.text.back() != '.') << at << " ends with a full stop";
        EXPECT_EQ(row.text.find('|'), std::string::npos) << at << " would break a table";
        EXPECT_FALSE(number && row.unit == observe::Unit::None) << at << " has no unit";
        if (row.table) {
            expect_described(*row.table, at);
        }
    }
}

TEST(RunStatistics, HaveASentenceAndAUnit)
{
    expect_described(results_document().table, "results");
    expect_described(replay::replay_document().table, "replay");
    expect_described(guest::guest_document().table, "guest");
}

/// Results that repeat a key of the configuration, as it was resolved.
const std::set<std::string> kEchoes{"controller.kind", "controller.rtl", "cpu.mhz",
                                    "cpu.model",       "seed",            "workload.name"};

/// In a sweep a key and a result of one name would be one column.
TEST(Names, MeanAKeyOrAResult)
{
    std::set<std::string> found;
    for (const observe::Document& document : {results_document(), replay::replay_document(), guest::guest_document()}) {
        for (const auto& [leaf, only] : observe::leaves_of(observe::key_tree(document.table))) {
            if (config::find_key(leaf) != nullptr) {
                found.insert(leaf);
            }
        }
    }
    EXPECT_EQ(found, kEchoes) << "give the key or the result another name";
}

TEST(Names, OfRenamedKeysHaveGoneAndTheirNewNamesExist)
{
    for (const config::Renamed& key : config::renamed_keys()) {
        EXPECT_EQ(config::find_key(key.from), nullptr) << key.from;
        EXPECT_NE(config::find_key(key.to), nullptr) << key.to;
    }
}

/// `_s`, `_us` and so on in a key are its unit.
TEST(RunStatistics, KeysEndWithTheirUnit)
{
    const std::map<std::string, observe::Unit> endings{{"_s", observe::Unit::Seconds},
                                                       {"_ms", observe::Unit::Milliseconds},
                                                       {"_us", observe::Unit::Microseconds},
                                                       {"_mib", observe::Unit::Mebibytes},
                                                       {"_cycles", observe::Unit::Cycles},
                                                       {"_bytes", observe::Unit::Bytes},
                                                       {"mb_s", observe::Unit::MegabytesPerSecond},
                                                       {"per_s", observe::Unit::PerSecond}};
    std::size_t checked = 0;
    const auto check = [&](const auto& self, const observe::KeyNode& node) -> void {
        for (const auto& key : node.keys) {
            std::string longest;
            for (const auto& [ending, unit] : endings) {
                const std::string& name = key->name;
                if (name.size() >= ending.size() &&
                    name.compare(name.size() - ending.size(), ending.size(), ending) == 0 &&
                    ending.size() > longest.size()) {
                    longest = ending;
                }
            }
            if (!longest.empty() && !key->is_object()) {
                ++checked;
                EXPECT_EQ(key->info.unit, endings.at(longest)) << key->name;
            }
            self(self, *key);
        }
    };
    check(check, observe::key_tree(results_document().table));
    check(check, observe::key_tree(replay::replay_document().table));
    check(check, observe::key_tree(guest::guest_document().table));
    EXPECT_GT(checked, 30u);
}

/// Its place in fw_stats, counted in u64.
std::size_t place_of(const u64& counter, const fw_stats& counters)
{
    const auto bytes = reinterpret_cast<const char*>(&counter) - reinterpret_cast<const char*>(&counters);
    return static_cast<std::size_t>(bytes) / sizeof(u64);
}

/// Places of the counters that `table` takes as they are.
void collect_counters(const observe::Table<ssd::FirmwareReading>& table, std::set<std::size_t>& found)
{
    static const fw_stats counters{};
    for (const auto& row : table.rows()) {
        if (row.inner() != nullptr) {
            collect_counters(*row.inner(), found);
        } else if (row.value() != nullptr) {
            if (const auto* const member = std::get_if<u64 ssd::FirmwareReading::*>(row.value())) {
                found.insert(place_of(counters.*static_cast<u64 fw_stats::*>(*member), counters));
            }
        }
    }
}

TEST(FirmwareStatistics, ForgetNoCounter)
{
    static const fw_stats counters{};
    std::set<std::size_t> found;
    collect_counters(ssd::firmware_statistics(), found);
    collect_counters(ssd::operation_statistics(), found);
    EXPECT_GT(found.size(), 50u);
    for (const ssd::CounterWithoutRow& one : ssd::counters_without_row()) {
        const std::size_t place = place_of(counters.*one.counter, counters);
        EXPECT_TRUE(found.insert(place).second)
            << "counter " << place << " has a row, and a reason to have none: " << one.reason;
    }
    for (std::size_t module = 0; module < FW_MODULE_COUNT; ++module) { // cpu.cycles
        found.insert(place_of(counters.cycles[module], counters));
    }
    std::set<std::size_t> all;
    for (std::size_t place = 0; place < sizeof(fw_stats) / sizeof(u64); ++place) {
        all.insert(place);
    }
    EXPECT_EQ(found, all) << "places of counters in fw_stats, counted in u64: give each a row in models/ssd, or a "
                             "reason in ssd::counters_without_row()";
}

} // namespace
} // namespace tlmssd::run
