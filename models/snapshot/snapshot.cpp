// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: snapshot files: what goes into which entry, and the way back.
#include "models/snapshot/snapshot.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "models/common/error.h"
#include "models/common/interrupt.h"
#include "models/snapshot/snapshot_file.h"
#include "models/snapshot/snapshot_head.h"

namespace tlmssd::snapshot {

namespace {

using nand::for_each_block;
using nand::Place;
using observe::Json;

template <class Visit>
void for_pages(const nand::PageStore& store, const Visit& visit)
{
    for_each_block(store.geometry(), [&](Place place) {
        stop_point();
        for (const u32 end = store.next_page(place); place.page < end; ++place.page) {
            visit(place, store.read(place));
        }
    });
}

Json geometry_json(const Geometry& g)
{
    return Json{{"channels", g.channels},     {"ways", g.ways},
                {"chip_enables", g.chip_enables}, {"dies", g.dies},
                {"planes", g.planes},         {"blocks", g.blocks},
                {"pages", g.pages},           {"page_bytes", g.page_bytes},
                {"spare_bytes", g.spare_bytes}};
}

/// The entries of one snapshot, each written as often as it is asked for.
class Contents {
public:
    Contents(const nand::PageStore& store, const host::ExpectedVersions& versions)
        : store_(store), versions_(versions), units_(store.geometry().units_per_page())
    {
        for_pages(store_, [&](const Place&, const nand::PageView& page) {
            if (TablePages::is_table(page.tags[0])) {
                numbers_.emplace(page.tags[0].version, static_cast<u32>(numbers_.size()));
            }
        });
        tables_.resize(numbers_.size());
        for (const auto& [number, dense] : numbers_) {
            tables_[dense] = number;
        }
    }
    u64 tables() const { return tables_.size(); }

    void write(const std::string& entry, SnapshotSink& sink) const
    {
        if (entry == "next") {
            for_each_block(store_.geometry(), [&](const Place& p) { sink.put32(store_.next_page(p)); });
        } else if (entry == "erases") {
            for_each_block(store_.geometry(), [&](const Place& p) { sink.put32(store_.erase_count(p)); });
        } else if (entry == "tables") {
            for (const u32 number : tables_) {
                sink.put(store_.tables().bytes(number), store_.tables().page_bytes());
            }
        } else if (entry == "records") {
            for_pages(store_, [&](const Place&, const nand::PageView& page) { record(page, sink); });
        } else if (entry == "bytes") {
            for_pages(store_, [&](const Place&, const nand::PageView& page) {
                sink.put(page.bytes, store_.geometry().physical_bytes());
            });
        } else if (entry == "versions") {
            for (u64 unit = 0; unit < versions_.units(); ++unit) {
                sink.put32(versions_.word(unit));
            }
        } else { // "sectors"
            for (u64 lba = 0; lba < versions_.bytes()->sectors(); ++lba) {
                sink.put32(versions_.bytes()->word(lba));
            }
        }
    }

private:
    void record(const nand::PageView& page, SnapshotSink& sink) const
    {
        for (u32 unit = 0; unit < units_; ++unit) {
            const UnitTag tag = page.tags[unit];
            sink.put32(tag.unit);
            sink.put32(TablePages::is_table(tag) ? numbers_.at(tag.version) : tag.version);
        }
        sink.put(page.oob, kOobBytes);
    }

    const nand::PageStore& store_;
    const host::ExpectedVersions& versions_;
    u32 units_;
    std::unordered_map<u32, u32> numbers_; ///< of TablePages: in the order of the flash pages
    std::vector<u32> tables_;
};

std::vector<std::string> entry_names(bool full)
{
    std::vector<std::string> names{"next", "erases", "tables", "records", "versions"};
    if (full) {
        names.insert(names.end(), {"bytes", "sectors"});
    }
    return names;
}

/// Fills a store and the host's expectations, entry by entry in the order of entry_names().
class Loader {
public:
    Loader(SnapshotReader& in, nand::PageStore& store, host::ExpectedVersions& versions)
        : in_(in), store_(store), versions_(versions), units_(store.geometry().units_per_page())
    {
    }
    void read(const std::string& entry)
    {
        if (entry == "next") {
            for_each_block(store_.geometry(), [&](const Place&) {
                next_.push_back(in_.get32());
                require(next_.back() <= store_.geometry().pages, "a block has too many pages");
            });
        } else if (entry == "erases") {
            for_each_block(store_.geometry(),
                           [&](const Place& p) { store_.restore_erase_count(p, in_.get32()); });
        } else if (entry == "tables") {
            std::vector<u8> page(store_.tables().page_bytes());
            while (in_.left() > 0) {
                in_.get(page.data(), page.size());
                numbers_.push_back(store_.tables().keep(page.data()));
            }
        } else if (entry == "records") {
            for_pages([&](const Place& place) { record(place); });
        } else if (entry == "bytes") {
            std::vector<u8> page(store_.geometry().physical_bytes());
            u8 oob[kOobBytes];
            std::memset(oob, nand::kErasedByte, sizeof oob);
            for_pages([&](const Place& place) {
                in_.get(page.data(), page.size());
                store_.add(place, store_.read(place).tags, oob, page.data()); // on FFh: as they are
            });
        } else if (entry == "versions") {
            for (u64 unit = 0; unit < versions_.units(); ++unit) {
                versions_.restore(unit, in_.get32());
            }
        } else { // "sectors"
            for (u64 lba = 0; lba < versions_.bytes()->sectors(); ++lba) {
                versions_.bytes()->write(lba, in_.get32());
            }
        }
    }

private:
    void require(bool good, const char* what) const
    {
        if (!good) {
            in_.damaged(what);
        }
    }
    template <class Visit>
    void for_pages(const Visit& visit)
    {
        std::size_t block = 0;
        for_each_block(store_.geometry(), [&](Place place) {
            for (const u32 end = next_[block++]; place.page < end; ++place.page) {
                visit(place);
            }
        });
    }
    void record(const Place& place)
    {
        UnitTag tags[nand::PageStore::kMaxUnits];
        for (u32 unit = 0; unit < units_; ++unit) {
            tags[unit].unit = in_.get32();
            tags[unit].version = in_.get32();
            if (TablePages::is_table(tags[unit])) {
                require(tags[unit].version < numbers_.size(), "a page names a table that does not exist");
                tags[unit].version = numbers_[tags[unit].version];
            }
        }
        u8 oob[kOobBytes];
        in_.get(oob, sizeof oob);
        require(store_.program(place, tags, oob) == nand::ProgramError::None, "pages out of order");
    }

    SnapshotReader& in_;
    nand::PageStore& store_;
    host::ExpectedVersions& versions_;
    u32 units_;
    std::vector<u32> next_;    ///< by block
    std::vector<u32> numbers_; ///< of tables, as this store counts them
};

void check(const SnapshotReader& in, const Json& head, const nand::PageStore& store,
           const host::ExpectedVersions& versions)
{
    const Json wanted = geometry_json(store.geometry());
    for (const auto& [key, value] : wanted.items()) {
        if (!head.contains("geometry") || !head["geometry"].contains(key)) {
            in.damaged("its geometry is incomplete");
        }
        if (head["geometry"][key] != value) {
            in.refuse("made for geometry." + key + " " + head["geometry"][key].dump() +
                      ", the configuration has " + value.dump());
        }
    }
    const std::string data = store.keeps_bytes() ? "full" : "tags";
    if (head.value("data", "") != data) {
        in.refuse("made with data: " + head.value("data", "") + ", the configuration has data: " + data);
    }
    if (head.value("units", u64{0}) != versions.units()) {
        in.refuse("made for " + std::to_string(head.value("units", u64{0})) +
                  " logical units, the configuration has " + std::to_string(versions.units()) +
                  " (ftl.over_provisioning)");
    }
}

} // namespace

void save_snapshot(const std::string& path, const nand::PageStore& store,
                   const host::ExpectedVersions& versions, const SnapshotInfo& info)
{
    const Contents contents(store, versions);
    Json head{{"format", "tlmssd-snapshot"},
              {"version", kSnapshotVersion},
              {"config_hash", info.config_hash},
              {"logical_pages", info.logical_pages},
              {"seed", info.seed},
              {"units", versions.units()},
              {"data", store.keeps_bytes() ? "full" : "tags"},
              {"geometry", geometry_json(store.geometry())},
              {"entries", Json::array()}};
    const std::vector<std::string> names = entry_names(store.keeps_bytes());
    std::vector<u64> sizes;
    for (const std::string& name : names) { // sizes and checks stand before what they are of
        SnapshotSink count;
        contents.write(name, count);
        sizes.push_back(count.size());
        head["entries"].push_back(
            Json{{"name", name}, {"bytes", count.size()}, {"crc32", count.crc()}});
    }
    head["crc32"] = snapshot_crc(head);
    SnapshotWriter out(path);
    const std::string text = snapshot_text(head);
    out.begin("snapshot.json", text.size());
    out.put(reinterpret_cast<const u8*>(text.data()), text.size());
    out.end();
    for (std::size_t i = 0; i < names.size(); ++i) {
        out.begin(names[i], sizes[i]);
        contents.write(names[i], out);
        out.end();
    }
    out.finish();
}

namespace {

SnapshotInfo load(SnapshotReader& in, nand::PageStore& store, host::ExpectedVersions& versions)
{
    const Json head = checked_head(in);
    check(in, head, store, versions);
    Loader loader(in, store, versions);
    const std::vector<std::string> names = entry_names(store.keeps_bytes());
    const Json& entries = head.contains("entries") ? head["entries"] : head;
    if (!entries.is_array() || entries.size() != names.size()) {
        in.damaged("its list of entries is incomplete");
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Json& entry = entries[i];
        in.begin(names[i], entry.value("bytes", u64{0}));
        loader.read(names[i]);
        in.end(entry.value("crc32", u32{0}));
    }
    SnapshotInfo info;
    info.config_hash = head.value("config_hash", "");
    info.logical_pages = head.value("logical_pages", u64{0});
    info.seed = head.value("seed", u64{0});
    return info;
}

} // namespace

SnapshotInfo load_snapshot(const std::string& path, nand::PageStore& store,
                           host::ExpectedVersions& versions)
{
    SnapshotReader in(path);
    try {
        return load(in, store, versions);
    } catch (const Json::exception& e) {
        in.damaged(std::string("snapshot.json: ") + e.what());
    }
}

} // namespace tlmssd::snapshot
