// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: snapshot files: what is written comes back, and nothing else is taken for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "models/common/error.h"
#include "models/common/hash.h"
#include "models/snapshot/snapshot.h"
#include "models/snapshot/snapshot_file.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

using nand::PageStore;
using nand::Place;
using snapshot::load_snapshot;
using snapshot::save_snapshot;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Geometry geometry()
{
    return small_geometry().channels(2).blocks(5); // 20 blocks, 80 pages, 160 units
}

constexpr u64 kUnits = 100;

/// A store and what the host expects of it.
struct Device {
    explicit Device(config::DataKind data, const Geometry& g = geometry(), u64 units = kUnits)
        : store(g, data), versions(units)
    {
        if (data == config::DataKind::Full) {
            versions.carry_bytes(g.sectors_per_unit(), 1);
        }
    }
    /// Random pages, erased blocks, tables (one of them twice), torn pages and a torn block.
    void use(u64 seed)
    {
        const Geometry& g = store.geometry();
        std::vector<u8> page(g.physical_bytes()), table(g.page_bytes);
        u32 shared = 0;
        u64 n = 0;
        for (u32 die = 0; die < g.total_dies(); ++die) {
            for (u32 block = 0; block < g.planes * g.blocks; ++block) {
                Place place{die, block / g.blocks, block % g.blocks, 0};
                for (u64 erases = draw64(seed, 1, ++n) % 3; erases > 0; --erases) {
                    store.erase(place);
                }
                const u64 pages = draw64(seed, 2, n) % (g.pages + 1);
                for (; place.page < pages; ++place.page) {
                    const u32 word = static_cast<u32>(draw64(seed, 3, ++n) >> 40);
                    UnitTag tags[2] = {{word + 1, word / 2 + 1}, {word + 2, word / 3 + 1}};
                    if (word % 5 == 0) {
                        std::fill(table.begin(), table.end(), static_cast<u8>(word));
                        shared = store.tables().keep(table.data());
                        tags[0] = tags[1] = TablePages::tag(shared);
                    } else if (word % 5 == 1 && store.tables().in_use() > 0) {
                        tags[0] = tags[1] = TablePages::tag(shared);
                    }
                    u8 oob[kOobBytes];
                    std::fill_n(oob, kOobBytes, static_cast<u8>(word >> 3));
                    std::fill(page.begin(), page.end(), static_cast<u8>(word >> 5));
                    ASSERT_EQ(store.program(place, tags, oob, page.data()), nand::ProgramError::None);
                }
                if (n % 4 == 0 && place.page < g.pages) {
                    store.tear_program(place);
                }
            }
        }
        store.tear_erase({1, 1, 4, 0});
        for (u64 unit = 0; unit < versions.units(); ++unit) {
            for (u64 writes = draw64(seed, 4, unit) % 4; writes > 0; --writes) {
                versions.bump(unit);
            }
            if (unit % 7 == 0) {
                versions.trim(unit);
            }
        }
        if (versions.bytes() != nullptr) {
            for (u64 lba = 0; lba < versions.bytes()->sectors(); ++lba) {
                versions.bytes()->write(lba, static_cast<u32>(draw64(seed, 5, lba) % 9));
            }
        }
    }
    PageStore store;
    host::ExpectedVersions versions;
};

void expect_equal(const Device& a, const Device& b)
{
    const Geometry& g = a.store.geometry();
    for (u32 die = 0; die < g.total_dies(); ++die) {
        for (u32 block = 0; block < g.planes * g.blocks; ++block) {
            Place p{die, block / g.blocks, block % g.blocks, 0};
            ASSERT_EQ(a.store.next_page(p), b.store.next_page(p));
            EXPECT_EQ(a.store.erase_count(p), b.store.erase_count(p));
            for (; p.page < a.store.next_page(p); ++p.page) {
                const nand::PageView x = a.store.read(p), y = b.store.read(p);
                EXPECT_EQ(a.store.torn(p), b.store.torn(p));
                EXPECT_TRUE(std::equal(x.oob, x.oob + kOobBytes, y.oob));
                ASSERT_EQ(TablePages::is_table(x.tags[0]), TablePages::is_table(y.tags[0]));
                if (TablePages::is_table(x.tags[0])) { // by content: numbers are the store's own
                    EXPECT_EQ(y.tags[0], y.tags[1]);
                    const u8* const content = a.store.tables().bytes(x.tags[0].version);
                    EXPECT_TRUE(std::equal(content, content + g.page_bytes,
                                           b.store.tables().bytes(y.tags[0].version)));
                } else {
                    EXPECT_TRUE(std::equal(x.tags, x.tags + 2, y.tags));
                }
                ASSERT_EQ(x.bytes == nullptr, y.bytes == nullptr);
                if (x.bytes != nullptr) {
                    EXPECT_TRUE(std::equal(x.bytes, x.bytes + g.physical_bytes(), y.bytes));
                }
            }
        }
    }
    EXPECT_EQ(a.store.tables().in_use(), b.store.tables().in_use());
    for (u64 unit = 0; unit < a.versions.units(); ++unit) {
        EXPECT_EQ(a.versions.word(unit), b.versions.word(unit));
    }
    if (a.versions.bytes() != nullptr) {
        for (u64 lba = 0; lba < a.versions.bytes()->sectors(); ++lba) {
            EXPECT_EQ(a.versions.bytes()->word(lba), b.versions.bytes()->word(lba));
        }
    }
}

class Snapshot : public testing::TestWithParam<config::DataKind> {
protected:
    Snapshot()
    {
        std::string folder = (std::filesystem::temp_directory_path() / "tlmssd-XXXXXX").string();
        if (mkdtemp(folder.data()) == nullptr) {
            throw std::runtime_error(folder + ": cannot be made");
        }
        path_ = folder + "/snapshot";
    }
    ~Snapshot() override { std::filesystem::remove_all(std::filesystem::path(path_).parent_path()); }

    std::string file() const
    {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void write(const std::string& bytes) const
    {
        std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    }
    /// What loading it says; "" where it loads.
    std::string refusal(const Geometry& g = geometry(), u64 units = kUnits) const
    {
        Device into(GetParam(), g, units);
        try {
            load_snapshot(path_, into.store, into.versions);
        } catch (const InputError& e) {
            EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
            return e.what();
        }
        return "";
    }
    std::string path_;
};

TEST_P(Snapshot, BringsBackWhatWasSaved)
{
    Device device(GetParam()), again(GetParam());
    device.use(1);
    save_snapshot(path_, device.store, device.versions, {"0123456789abcdef", 50});
    const snapshot::SnapshotInfo info = load_snapshot(path_, again.store, again.versions);
    EXPECT_EQ(info.config_hash, "0123456789abcdef");
    EXPECT_EQ(info.logical_pages, 50u);
    expect_equal(device, again);
    // The tables of the loaded store live and die with their pages.
    for (u32 block = 0; block < 20; ++block) {
        again.store.erase({block / 10, block / 5 % 2, block % 5, 0});
    }
    EXPECT_EQ(again.store.tables().in_use(), 0u);
}

TEST_P(Snapshot, OfAnEmptyDeviceIsEmpty)
{
    Device device(GetParam()), again(GetParam());
    save_snapshot(path_, device.store, device.versions, {});
    load_snapshot(path_, again.store, again.versions);
    expect_equal(device, again);
}

TEST_P(Snapshot, OfALoadedDeviceIsTheSameFile)
{
    Device device(GetParam()), again(GetParam());
    device.use(2);
    save_snapshot(path_, device.store, device.versions, {});
    const std::string first = file();
    load_snapshot(path_, again.store, again.versions);
    save_snapshot(path_, again.store, again.versions, {});
    EXPECT_EQ(file(), first);
}

TEST_P(Snapshot, WithAnyByteChangedIsRefusedOrTheSame)
{
    Device device(GetParam());
    device.use(3);
    save_snapshot(path_, device.store, device.versions, {});
    const std::string good = file();
    u32 refused = 0;
    const std::size_t step = good.size() / 150 + 1;
    for (std::size_t at = 0; at < good.size(); at += step) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        write(bad);
        Device into(GetParam());
        try {
            load_snapshot(path_, into.store, into.versions);
            expect_equal(device, into); // padding, or a field of the container that says nothing
        } catch (const InputError& e) {
            EXPECT_THAT(e.what(), StartsWith(path_ + ": "));
            ++refused;
        }
    }
    EXPECT_GT(refused, 75u);
}

TEST_P(Snapshot, ThatEndsEarlyIsRefused)
{
    Device device(GetParam());
    device.use(4);
    save_snapshot(path_, device.store, device.versions, {});
    const std::string good = file();
    for (const std::size_t size : {std::size_t{0}, std::size_t{10}, good.size() / 2, good.size() - 40}) {
        write(good.substr(0, size));
        EXPECT_THAT(refusal(), StartsWith(path_ + ": ")) << size;
    }
}

TEST_P(Snapshot, OfAnotherDeviceIsRefused)
{
    Device device(GetParam());
    save_snapshot(path_, device.store, device.versions, {});
    Geometry g = geometry();
    g.blocks = 6;
    EXPECT_EQ(refusal(g), path_ + ": made for geometry.blocks 5, the configuration has 6");
    EXPECT_EQ(refusal(geometry(), 99), path_ + ": made for 100 logical units, the configuration has 99 "
                                               "(ftl.over_provisioning)");
    const bool full = GetParam() == config::DataKind::Full;
    Device other(full ? config::DataKind::Tags : config::DataKind::Full);
    try {
        load_snapshot(path_, other.store, other.versions);
        ADD_FAILURE() << "taken";
    } catch (const InputError& e) {
        EXPECT_THAT(e.what(), HasSubstr(full ? "made with data: full" : "made with data: tags"));
    }
}

TEST_P(Snapshot, NamesWhatIsNoSnapshot)
{
    EXPECT_THAT(refusal(), AllOf(StartsWith(path_), HasSubstr("cannot open: No such file")));
    write("text");
    EXPECT_THAT(refusal(), AllOf(StartsWith(path_ + ": "), HasSubstr("snapshot")));
    {
        snapshot::SnapshotWriter out(path_);
        out.begin("other", 0);
        out.end();
        out.finish();
    }
    EXPECT_THAT(refusal(), HasSubstr("it does not begin with snapshot.json"));
    const std::string head = R"({"format": "tlmssd-snapshot", "version": 2})";
    {
        snapshot::SnapshotWriter out(path_);
        out.begin("snapshot.json", head.size());
        out.put(reinterpret_cast<const u8*>(head.data()), head.size());
        out.end();
        out.finish();
    }
    EXPECT_EQ(refusal(), path_ + ": format version 2; this program reads version 1");
}

TEST_P(Snapshot, ThatCannotBeWrittenSaysSoAndLeavesNothing)
{
    Device device(GetParam());
    EXPECT_THROW(save_snapshot("/dev/null/x", device.store, device.versions, {}), InputError);
    {
        snapshot::SnapshotWriter out(path_); // dropped before its end
        out.begin("next", 4);
    }
    EXPECT_FALSE(std::filesystem::exists(path_));
    EXPECT_FALSE(std::filesystem::exists(path_ + ".part" + std::to_string(getpid())));
}

TEST(SnapshotSink, CrcIsThatOfIeee)
{
    snapshot::SnapshotSink sink;
    sink.put(reinterpret_cast<const u8*>("123456789"), 9);
    EXPECT_EQ(sink.crc(), 0xcbf43926u); // the check value of CRC-32
    EXPECT_EQ(sink.size(), 9u);
}

INSTANTIATE_TEST_SUITE_P(Data, Snapshot, testing::Values(config::DataKind::Tags, config::DataKind::Full));

} // namespace
} // namespace tlmssd::tb
