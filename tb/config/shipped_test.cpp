// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the files in configs/ load, mean what they say, and the generated ones are current.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "models/config/keys/keys.h"
#include "models/config/text/names.h"
#include "tb/config/support.h"

namespace tlmssd::config {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_in(const std::string& folder)
{
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".yaml") {
            files.push_back(entry.path().string());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string text_of(const std::string& path)
{
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST(Shipped, EveryDeviceLoads)
{
    const std::vector<std::string> files = files_in("configs/ssd");
    EXPECT_GE(files.size(), 6u);
    for (const std::string& file : files) {
        EXPECT_NO_THROW(load(file, {})) << file;
    }
}

TEST(Shipped, DramPartsHaveTheRatesOfTheirNames)
{
    struct Part {
        const char* name;
        double mb_per_s; ///< transfers a second x bytes of the bus
    };
    for (const Part& part : {Part{"ddr3-1600", 1600 * 4}, Part{"ddr2-667", 666.667 * 4}, Part{"sdr-133", 133.333 * 2}}) {
        const Config c = load("configs/ssd/default.yaml",
                              {{"dram.model=banks", std::string("dram.timing=configs/dram/") + part.name + ".yaml"}});
        EXPECT_NEAR(c.dram.peak_mb_per_s(), part.mb_per_s, 0.01) << part.name;
    }
    EXPECT_EQ(files_in("configs/dram").size(), 3u);
}

TEST(Shipped, TheDefaultDramPartIsDdr3)
{
    const auto loaded = [](std::vector<std::string> sets) { return load("configs/ssd/default.yaml", {std::move(sets)}); };
    EXPECT_EQ(loaded({"dram.model=banks"}).hash_text,
              loaded({"dram.model=banks", "dram.timing=configs/dram/ddr3-1600.yaml"}).hash_text);
}

TEST(Shipped, EveryPartFitsTheDefaultDeviceAndNamesItsSource)
{
    const std::vector<std::string> files = files_in("configs/nand");
    EXPECT_GE(files.size(), 6u);
    for (const std::string& file : files) {
        Config c;
        ASSERT_NO_THROW(c = load("configs/ssd/default.yaml",
                                 {{"nand=" + file, "onfi.interface=sdr", "onfi.mode=0"}}))
            << file; // every part has it
        EXPECT_FALSE(c.nand.source.empty()) << file;
        EXPECT_NE(c.nand.name, fs::path(file).stem().string()) << file; // the part's own name
    }
}

TEST(Shipped, EveryWorkloadRunsOnEveryDevice)
{
    const std::vector<std::string> files = files_in("configs/workloads");
    EXPECT_GE(files.size(), 5u);
    for (const std::string& file : files) {
        const std::string name = fs::path(file).stem().string();
        for (const std::string& device : files_in("configs/ssd")) {
            Config c;
            ASSERT_NO_THROW(c = load(device, {{"workload=" + name}})) << name << " " << device;
            EXPECT_EQ(c.workload.name, name);
        }
    }
}

// Micron L41B data sheet: 2112-byte pages, 128 a block, 4096 blocks in two planes, 8 Gb.
TEST(Shipped, PartHasTheCapacityOfItsName)
{
    const auto gigabits = [](const std::string& part) {
        const Config c = load_text("nand: configs/nand/" + part + ".yaml", "t", {});
        const Nand& n = c.nand;
        return u64{n.planes} * n.blocks * n.pages * c.geometry.page_bytes * 8 >> 30;
    };
    EXPECT_EQ(gigabits("mt29f8g08maa"), 8u);
    EXPECT_EQ(gigabits("mt29f16g08maa"), 16u);
    EXPECT_EQ(gigabits("mt29f32g08cbaba"), 32u);
    EXPECT_EQ(gigabits("mt29f64g08cbaaa"), 64u);
    EXPECT_EQ(gigabits("mt29h8g08"), 8u);
    EXPECT_EQ(gigabits("mt29f16g08abaca"), 16u);
    EXPECT_EQ(gigabits("mt29f4g08aaa"), 4u);
    EXPECT_EQ(gigabits("mqsim_mlc"), 64u);
}

TEST(Shipped, DevicesHaveTheShapeTheyNeed)
{
    const Config d = load("configs/ssd/default.yaml", {});
    EXPECT_EQ(d.geometry.total_planes(), 4u * 4 * 2 * 2);
    EXPECT_EQ(d.geometry.raw_bytes(), u64{8} << 30);
    EXPECT_EQ(d.onfi.interface, BusInterface::NvDdr);

    const Config paq = load("configs/ssd/paq.yaml", {});
    EXPECT_EQ(paq.geometry.total_dies(), 128u);
    EXPECT_EQ(paq.geometry.page_bytes, 2048u);
    EXPECT_EQ(paq.cpu.mhz, 800u); // a fast core per module: its simulation counts no software time
    EXPECT_EQ(paq.cpu.core_of_sched, 3u);
    EXPECT_EQ(paq.firmware.vaq_block_request, 0u);
    EXPECT_EQ(paq.scheduler, Scheduler::PAQ2);
    EXPECT_EQ(paq.firmware.paq_cluster_die, 0u);
    EXPECT_EQ(paq.host.queue_depth, 32u);
    const Config palloc = load("configs/ssd/palloc.yaml", {});
    EXPECT_EQ(palloc.geometry.total_planes(), 256u);
    EXPECT_EQ(palloc.cpu.mhz, 800u);
    EXPECT_EQ(palloc.firmware.vaq_block_request, 1u);
    EXPECT_EQ(palloc.firmware.vaq_join_window, 256u);
    EXPECT_EQ(palloc.scheduler, Scheduler::VAQ);
    EXPECT_TRUE(palloc.ftl.lockstep);

    // Dies, channels and lines of the drives that have data-sheet figures: reviews and data sheets that
    // the head of each file names.
    const Config intel = load("configs/ssd/x25-m.yaml", {});
    EXPECT_EQ(intel.geometry.channels, 10u);
    EXPECT_EQ(intel.geometry.total_dies(), 20u);
    EXPECT_EQ(intel.firmware.command_cycles, 8400u);
    const Config vertex = load("configs/ssd/vertex-3.yaml", {});
    EXPECT_EQ(vertex.geometry.channels, 8u);
    EXPECT_EQ(vertex.geometry.total_dies(), 32u);
    EXPECT_EQ(vertex.nand.t_program, microseconds(1300)); // data sheet
    EXPECT_EQ(vertex.ftl.write_size_factor, 1);
    const Config pata = load("configs/ssd/kingspec.yaml", {});
    EXPECT_FALSE(pata.sata.ncq);
    EXPECT_EQ(pata.host.queue_depth, 1u);

    const Config blue = load("configs/ssd/bluessd.yaml", {}); // thesis 4.1
    EXPECT_EQ(blue.geometry.channels, 4u);
    EXPECT_EQ(blue.geometry.ways, 8u);
    EXPECT_EQ(blue.geometry.ces_per_channel(), 16u);
    EXPECT_EQ(blue.nand.types[0].t_read, microseconds(128));
    EXPECT_EQ(blue.nand.types[2].t_read, microseconds(256));
    EXPECT_EQ(blue.nand.types[0].t_program, microseconds(1600));
    EXPECT_EQ(blue.nand.types[2].t_program, microseconds(2290));
    EXPECT_EQ(blue.nand.t_erase, microseconds(5000));
    EXPECT_EQ(blue.scheduler, Scheduler::SOST);

    const Config mqsim = load("configs/ssd/mqsim_8x8.yaml", {});
    EXPECT_EQ(mqsim.geometry.total_planes(), 8u * 8 * 2 * 2);
    EXPECT_EQ(mqsim.host.kind, HostKind::Direct);
    EXPECT_EQ(mqsim.host.queue_depth, 32u);
    EXPECT_EQ(mqsim.nand.t_erase, microseconds(3800));
    const Config gc = load("configs/ssd/mqsim_8x8_gc.yaml", {});
    EXPECT_EQ(gc.geometry.page_bytes, 4096u);
    EXPECT_EQ(gc.geometry.raw_bytes(), u64{4} << 30);
    EXPECT_EQ(gc.logical_pages(), 819200u); // 2^20 / 1.28
    EXPECT_EQ(gc.nand.t_erase, microseconds(3800));
    EXPECT_EQ(gc.workload.rw, Rw::RandWrite);
    EXPECT_EQ(gc.workload.size.percent, 60);

    EXPECT_EQ(load("configs/ssd/device_256g.yaml", {}).geometry.raw_bytes(), u64{256} << 30);
}

TEST(Shipped, DescriptionReadsBackAsTheSameConfiguration)
{
    for (const std::string& file : files_in("configs/ssd")) {
        for (const char* workload : {"mixed-70-30-4k", "seqread-128k", "zipf-mixed-70-30-4k"}) {
            const Config c = load(file, {{std::string("workload=") + workload}});
            const std::string text = to_yaml(c);
            const Config again = load_text(text, "described", {});
            EXPECT_EQ(again.hash, c.hash) << file;
            EXPECT_EQ(to_yaml(again), text) << file;
        }
    }
}

TEST(Shipped, DescriptionHoldsEveryKeyInUse)
{
    const TempFolder t;
    const std::string file = t.write("a \"b\".csv", "x");
    const Config trace = load_text("", "t", {{"workload.trace=" + file, "workload.mode=open"}});
    const std::string text = to_yaml(trace);
    EXPECT_EQ(to_yaml(load_text(text, "described", {})), text);
    EXPECT_NE(text.find("time_scale: 1 "), std::string::npos);
    EXPECT_EQ(text.find("rwmixread"), std::string::npos);
    for (const Key& key : keys()) {
        if (key.condition->words[0] == 0) {
            EXPECT_NE(text.find(key.name() + ": "), std::string::npos) << key.path;
        }
    }
}

const char kStale[] = "stale; run build/release/bin/tlmssd-keys --write in the repository's root";

TEST(Generated, SchemaIsCurrent)
{
    EXPECT_TRUE(text_of("configs/schema.json") == json_schema())
        << "configs/schema.json is " << kStale;
}

TEST(Generated, KeyReferenceIsCurrent)
{
    EXPECT_TRUE(text_of("configs/README.md") == key_reference())
        << "configs/README.md is " << kStale;
}

TEST(Generated, SchemaForbidsUnknownKeysInEveryMap)
{
    const nlohmann::json schema = nlohmann::json::parse(json_schema());
    EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    EXPECT_EQ(schema["additionalProperties"], false);
    for (const Key& key : keys()) {
        const nlohmann::json* at = &schema;
        std::istringstream words(key.path);
        for (std::string word; std::getline(words, word, '.');) {
            const nlohmann::json& map =
                at->contains("oneOf") ? schema["$defs"][(*at)["oneOf"][1]["$ref"]
                                                            .get<std::string>()
                                                            .substr(8)]
                                      : *at;
            EXPECT_EQ(map["additionalProperties"], false) << key.path;
            ASSERT_TRUE(map["properties"].contains(word)) << key.path;
            at = &map["properties"][word];
        }
        EXPECT_EQ((*at)["description"], key.help);
    }
    EXPECT_EQ(schema["properties"]["scheduler"]["enum"].size(), names_of<Scheduler>().size());
    EXPECT_EQ(schema["properties"]["ftl"]["properties"]["allocation"]["enum"].size(), 24u);
}

} // namespace
} // namespace tlmssd::config
