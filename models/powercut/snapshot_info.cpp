// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a snapshot holds, and whether a device comes up from it.
#include "models/powercut/snapshot_info.h"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <vector>

#include "models/common/error.h"
#include "models/host/expected_versions.h"
#include "models/observe/output/format.h"
#include "models/powercut/power_life.h"
#include "models/snapshot/snapshot_head.h"

namespace tlmssd::powercut {

namespace {

using observe::Json;

void line(std::ostream& out, const std::string& name, const std::string& value)
{
    out << name << std::string(name.size() < 28 ? 28 - name.size() : 1, ' ') << value << '\n';
}

struct Sum {
    u64 count = 0, used = 0, total = 0;
    u32 least = ~u32{0}, most = 0;
    void add(u32 word)
    {
        ++count;
        used += word != 0;
        total += word;
        least = std::min(least, word);
        most = std::max(most, word);
    }
    double mean() const { return count == 0 ? 0 : static_cast<double>(total) / static_cast<double>(count); }
};

std::string decimals(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", value);
    return text;
}

Json describe(snapshot::SnapshotReader& in)
{
    const Json head = snapshot::checked_head(in);
    Sum next, erases;
    u64 written = 0, trimmed = 0, tables = 0;
    for (const Json& entry : head.at("entries")) {
        const auto name = entry.at("name").get<std::string>();
        const auto bytes = entry.at("bytes").get<u64>();
        in.begin(name, bytes);
        if (name == "next" || name == "erases" || name == "versions") {
            while (in.left() > 0) {
                const u32 word = in.get32();
                if (name == "versions") {
                    written += (word & host::ExpectedVersions::kVersion) != 0;
                    trimmed += (word & host::ExpectedVersions::kTrimmed) != 0;
                } else {
                    (name == "next" ? next : erases).add(word);
                }
            }
        } else {
            tables = name == "tables" ? bytes / head.at("geometry").at("page_bytes").get<u64>() : tables;
            std::vector<u8> some(1 << 16);
            while (in.left() > 0) {
                in.get(some.data(), std::min<u64>(in.left(), some.size()));
            }
        }
        in.end(entry.at("crc32").get<u32>());
    }
    const Json& g = head.at("geometry");
    const u64 pages = next.count * g.at("pages").get<u64>();
    return {{"version", head.at("version")}, {"config_hash", head.at("config_hash")}, {"seed", head.at("seed")},
            {"geometry", g}, {"data", head.at("data")}, {"logical_pages", head.at("logical_pages")},
            {"units", head.at("units")}, {"units_written", written}, {"units_trimmed", trimmed}, {"pages", pages},
            {"pages_programmed", next.total}, {"blocks", next.count}, {"blocks_used", next.used},
            {"firmware_table_pages", tables},
            {"erases", {{"min", erases.count == 0 ? 0 : erases.least}, {"mean", erases.mean()}, {"max", erases.most}}}};
}

} // namespace

Json snapshot_info(const std::string& path)
{
    snapshot::SnapshotReader in(path);
    try {
        return describe(in);
    } catch (const Json::exception& e) {
        in.damaged(std::string("snapshot.json: ") + e.what());
    }
}

std::string table_of_snapshot(const Json& info)
{
    const auto number = [&info](const char* key) { return std::to_string(info.at(key).get<u64>()); };
    const Json& g = info.at("geometry");
    const Json& erases = info.at("erases");
    std::ostringstream out;
    line(out, "format version", number("version"));
    line(out, "made by configuration", info.at("config_hash").get<std::string>() + ", seed " + number("seed"));
    std::string geometry;
    for (const char* const key : {"channels", "ways", "chip_enables", "dies", "planes", "blocks", "pages",
                                  "page_bytes", "spare_bytes"}) {
        geometry += std::string(geometry.empty() ? "" : ", ") + key + " " + g.at(key).dump();
    }
    line(out, "geometry", geometry);
    line(out, "data", info.at("data").get<std::string>());
    line(out, "logical pages", number("logical_pages"));
    line(out, "units written", number("units_written") + " of " + number("units") + ", " + number("units_trimmed") +
                                   " trimmed since");
    line(out, "pages programmed", number("pages_programmed") + " of " + number("pages") + ", in " +
                                      number("blocks_used") + " of " + number("blocks") + " blocks");
    line(out, "tables of the firmware", number("firmware_table_pages") + " different pages");
    line(out, "erases of a block", "least " + erases.at("min").dump() + ", mean " +
                                       decimals(erases.at("mean").get<double>()) + ", most " + erases.at("max").dump());
    return out.str();
}

int snapshot_load(const std::string& path, const config::Config& config)
{
    if (config.ftl.recovery == config::Recovery::None) {
        throw InputError("snapshot load requires ftl.recovery: scan or journal; the configuration has none");
    }
    LifeOrders orders;
    orders.snapshot = path;
    orders.last = true;
    orders.work_seed = config.seed;
    PowerLife life(config, orders);
    const LifeReport report = life.run();
    for (const std::string& failure : life.failures()) {
        std::cerr << "tlmssd: " << observe::printable(failure) << '\n';
    }
    if (report.mounted != 0) {
        line(std::cout, "recovery time, us", decimals(static_cast<double>(report.mount_ps) / 1e6));
        line(std::cout, "pages read to recover", std::to_string(report.mount_reads));
        line(std::cout, "pages checked", std::to_string(report.looked));
        if (report.unreadable != 0) {
            line(std::cout, "unreadable (nand.errors)", std::to_string(report.unreadable) + " pages");
        }
    }
    return report.failed != 0 ? kExitModel : kExitDone;
}

} // namespace tlmssd::powercut
