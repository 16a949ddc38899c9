// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: timeline files are JSON that holds the slices and arrows that were put in, to the
// picosecond, and appear whole or not at all.
#include "models/observe/timeline.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "models/common/error.h"

namespace tlmssd::observe {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TimelineTest : public testing::Test {
protected:
    TimelineTest()
        : folder_(std::filesystem::temp_directory_path() /
                  ("tlmssd_timeline_" + std::to_string(getpid())))
    {
    }
    ~TimelineTest() override { std::filesystem::remove_all(folder_); }
    std::string path(const char* name = "t.json") const { return (folder_ / "sub" / name).string(); }

    static std::string bytes_of(const std::string& name)
    {
        std::ifstream file(name, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }
    static std::string unpacked(const std::string& name)
    {
        std::string text;
        const gzFile file = gzopen(name.c_str(), "rb"); // reads plain files as they are
        char buffer[4096];
        for (int n; (n = gzread(file, buffer, sizeof buffer)) > 0;) {
            text.append(buffer, static_cast<std::size_t>(n));
        }
        EXPECT_EQ(gzclose(file), Z_OK) << name << " is cut off";
        return text;
    }
    /// Events of the kind, each as JSON text.
    static std::vector<std::string> events(const std::string& text, const std::string& phase)
    {
        std::vector<std::string> found;
        const Json document = Json::parse(text);
        for (const Json& event : document.at("traceEvents")) {
            if (event.at("ph") == phase) {
                found.push_back(event.dump());
            }
        }
        return found;
    }
    std::vector<std::string> files() const
    {
        std::vector<std::string> names;
        if (std::filesystem::exists(folder_ / "sub")) {
            for (const auto& entry : std::filesystem::directory_iterator(folder_ / "sub")) {
                names.push_back(entry.path().filename().string());
            }
        }
        return names;
    }

    std::filesystem::path folder_;
};

TEST_F(TimelineTest, WritesSlicesWithEveryPicosecond)
{
    Timeline t(path(), {});
    const u32 bus = t.add_track(t.add_process("buses"), "channel 0");
    t.open();
    // 2^53 ps + 1 is the first number that a double cannot hold.
    t.slice(bus, "READ", Picoseconds(1), Picoseconds(1000001));
    t.slice(bus, "PROGRAM", Picoseconds(9007199254740993), Picoseconds(9007199254740994),
            TimelineArgs().add("tag", u64{7}).add("arrival_us", Picoseconds(1500000)));
    t.close();

    const std::string text = bytes_of(path());
    EXPECT_THAT(text, HasSubstr(R"("name":"READ","ts":0.000001,"dur":1.000000})"));
    EXPECT_THAT(text, HasSubstr(R"("name":"PROGRAM","ts":9007199254.740993,"dur":0.000001,)"
                                R"("args":{"tag":7,"arrival_us":1.500000}})"));
    EXPECT_EQ(Json::parse(text).at("displayTimeUnit"), "ns");
}

TEST_F(TimelineTest, NamesTracksInTheOrderOfTheirDeclaration)
{
    Timeline t(path(), {});
    const u32 host = t.add_process("host");
    t.add_track(host, "tag 0");
    t.add_track(t.add_process("quote \" and \\"), "die 0/0/0");
    t.open();
    t.close();
    EXPECT_THAT(
        events(bytes_of(path()), "M"),
        ElementsAre(R"({"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"host"}})",
                    R"({"ph":"M","pid":1,"tid":0,"name":"process_sort_index","args":{"sort_index":0}})",
                    R"({"ph":"M","pid":2,"tid":0,"name":"process_name","args":{"name":"quote \" and \\"}})",
                    R"({"ph":"M","pid":2,"tid":0,"name":"process_sort_index","args":{"sort_index":1}})",
                    R"({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"tag 0"}})",
                    R"({"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":0}})",
                    R"({"ph":"M","pid":2,"tid":2,"name":"thread_name","args":{"name":"die 0/0/0"}})",
                    R"({"ph":"M","pid":2,"tid":2,"name":"thread_sort_index","args":{"sort_index":1}})"));
}

TEST_F(TimelineTest, ArrowsLeaveInsideASliceAndEndAtTheStartOfOne)
{
    Timeline t(path(), {});
    const u32 process = t.add_process("p");
    const u32 tag = t.add_track(process, "tag");
    const u32 die = t.add_track(process, "die");
    t.open();
    t.slice(die, "READ", Picoseconds(3000000), Picoseconds(4000000));
    t.arrow_end(die, 12);
    t.slice(tag, "READ", Picoseconds(1000000), Picoseconds(5000000));
    t.arrow_start(tag, 12, Picoseconds(2000000));
    EXPECT_THROW(t.arrow_start(tag, 13, Picoseconds(1999999)), ModelError); // before the last one
    EXPECT_THROW(t.arrow_start(tag, 13, Picoseconds(5000001)), ModelError); // behind the slice
    t.arrow_start(tag, 13, Picoseconds(5000000));
    t.slice(die, "READ", Picoseconds(6000000), Picoseconds(7000000));
    t.arrow_end(die, 13);
    t.close();
    const std::string text = bytes_of(path());
    EXPECT_THAT(events(text, "s"),
                ElementsAre(R"({"ph":"s","pid":1,"tid":1,"cat":"request","name":"request","id":12,"ts":2.0})",
                            R"({"ph":"s","pid":1,"tid":1,"cat":"request","name":"request","id":13,"ts":5.0})"));
    EXPECT_THAT(events(text, "f"),
                ElementsAre(R"({"ph":"f","pid":1,"tid":2,"cat":"request","name":"request","id":12,"bp":"e","ts":3.0})",
                            R"({"ph":"f","pid":1,"tid":2,"cat":"request","name":"request","id":13,"bp":"e","ts":6.0})"));
}

TEST_F(TimelineTest, SlicesOfOneTrackMayTouchButNotOverlap)
{
    Timeline t(path(), {});
    const u32 process = t.add_process("p");
    const u32 a = t.add_track(process, "a");
    const u32 b = t.add_track(process, "b");
    t.open();
    t.slice(a, "x", Picoseconds(10), Picoseconds(20));
    t.slice(a, "x", Picoseconds(20), Picoseconds(30));
    EXPECT_THROW(t.slice(a, "x", Picoseconds(29), Picoseconds(40)), ModelError);
    EXPECT_THROW(t.slice(a, "x", Picoseconds(50), Picoseconds(49)), ModelError);
    t.slice(b, "x", Picoseconds(15), Picoseconds(16)); // tracks do not wait for each other
}

TEST_F(TimelineTest, WindowLeavesOutWhatLiesWhollyOutside)
{
    Timeline t(path(), {Picoseconds(100), Picoseconds(200)});
    const u32 a = t.add_track(t.add_process("p"), "a");
    t.open();
    EXPECT_FALSE(t.slice(a, "before", Picoseconds(0), Picoseconds(99)));
    EXPECT_TRUE(t.slice(a, "into", Picoseconds(99), Picoseconds(100)));
    EXPECT_TRUE(t.slice(a, "in", Picoseconds(150), Picoseconds(160)));
    EXPECT_TRUE(t.slice(a, "out", Picoseconds(199), Picoseconds(300)));
    EXPECT_FALSE(t.slice(a, "behind", Picoseconds(300), Picoseconds(301)));
    EXPECT_THROW(t.slice(a, "x", Picoseconds(300), Picoseconds(302)), ModelError); // checked all the same
    t.close();
    std::vector<std::string> names;
    for (const std::string& event : events(bytes_of(path()), "X")) {
        names.push_back(Json::parse(event).at("name"));
    }
    EXPECT_THAT(names, ElementsAre("into", "in", "out"));
}

TEST_F(TimelineTest, SuffixGzCompresses)
{
    const auto write = [this](const char* name) {
        Timeline t(path(name), {});
        const u32 a = t.add_track(t.add_process("p"), "a");
        t.open();
        for (u64 i = 0; i < 20000; ++i) { // many buffers
            t.slice(a, "READ", Picoseconds(i * 1000), Picoseconds(i * 1000 + 1),
                    TimelineArgs().add("row", i));
        }
        t.close();
    };
    write("t.json");
    write("t.json.gz");
    const std::string packed = bytes_of(path("t.json.gz"));
    EXPECT_EQ(packed.substr(0, 2), "\x1f\x8b");
    EXPECT_LT(packed.size(), bytes_of(path("t.json")).size() / 4);
    EXPECT_EQ(unpacked(path("t.json.gz")), bytes_of(path("t.json")));
    EXPECT_EQ(events(unpacked(path("t.json.gz")), "X").size(), 20000u);
}

TEST_F(TimelineTest, AppearsWholeOrNotAtAll)
{
    {
        Timeline t(path(), {});
        t.open();
        EXPECT_EQ(files().size(), 1u); // the temporary
        EXPECT_FALSE(std::filesystem::exists(path()));
    }
    EXPECT_THAT(files(), IsEmpty());
    Timeline t(path(), {});
    t.open();
    t.close();
    t.close(); // once more does nothing
    EXPECT_THAT(files(), ElementsAre("t.json"));
    EXPECT_THAT(events(bytes_of(path()), "X"), IsEmpty());
}

TEST_F(TimelineTest, ReplacesAnOlderFileOnlyAtTheEnd)
{
    std::filesystem::create_directories(folder_ / "sub");
    std::ofstream(path()) << "older";
    Timeline t(path(), {});
    t.open();
    EXPECT_EQ(bytes_of(path()), "older");
    t.close();
    EXPECT_THAT(bytes_of(path()), HasSubstr("traceEvents"));
}

TEST_F(TimelineTest, UnwritableFileIsTheUsersError)
{
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "file") << "x";
    EXPECT_THROW(Timeline((folder_ / "file" / "t.json").string(), {}).open(), InputError);
    EXPECT_THROW(Timeline(folder_.string(), {}).open(), InputError);
    const std::string pipe = (folder_ / "pipe").string();
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THROW(Timeline(pipe, {}).open(), InputError);
    EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST_F(TimelineTest, AFullDiskIsTheUsersErrorAndLeavesNoFile)
{
    struct Limit { // the file may not grow beyond 1 MiB
        Limit()
        {
            std::signal(SIGXFSZ, SIG_IGN);
            getrlimit(RLIMIT_FSIZE, &old);
            rlimit small = old;
            small.rlim_cur = 1 << 20;
            setrlimit(RLIMIT_FSIZE, &small);
        }
        ~Limit() { setrlimit(RLIMIT_FSIZE, &old); }
        rlimit old{};
    } limit;
    {
        Timeline t(path(), {});
        const u32 a = t.add_track(t.add_process("p"), "a");
        t.open();
        const auto fill = [&] {
            for (u64 i = 0; i < 100000; ++i) { // about 6 MB
                t.slice(a, "READ", Picoseconds(2 * i), Picoseconds(2 * i + 1));
            }
        };
        EXPECT_THROW(fill(), InputError);
    }
    EXPECT_THAT(files(), IsEmpty());
}

TEST_F(TimelineTest, DetailsThatDoNotFitAreLeftOutWhole)
{
    Timeline t(path(), {});
    const u32 a = t.add_track(t.add_process("p"), "a");
    t.open();
    TimelineArgs args;
    const u32 rows[4] = {~0u, 0, 1, 2};
    args.add("rows", rows, 4).add("none", rows, 0).add("kind", "GC");
    for (int i = 0; i < 100; ++i) {
        args.add("k", ~u64{0});
    }
    t.slice(a, "x", Picoseconds(0), Picoseconds(1), args);
    t.close();
    EXPECT_LE(args.size(), TimelineArgs::kCapacity);
    EXPECT_THAT(bytes_of(path()),
                HasSubstr(R"("args":{"rows":[4294967295,0,1,2],"kind":"GC","k":18446744073709551615,)"));
    EXPECT_EQ(events(bytes_of(path()), "X").size(), 1u); // still JSON
}

} // namespace
} // namespace tlmssd::observe
