// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: 1000 mutants of the shipped configurations either load or give one clear message.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "models/common/hash.h"
#include "models/config/keys/keys.h"
#include "tb/config/support.h"

namespace tlmssd::config {
namespace {

namespace fs = std::filesystem;

/// Numbered draws: draw(n) depends on the mutant and on how many came before it only.
class Draws {
public:
    explicit Draws(u64 mutant) : mutant_(mutant) {}
    std::size_t below(std::size_t n)
    {
        return n == 0 ? 0 : draw_below(draw64(20240101, mutant_, counter_++), n);
    }

private:
    u64 mutant_;
    u64 counter_ = 0;
};

const std::vector<std::string>& values()
{
    static const std::vector<std::string> list{
        "99999999999999999999999999", "-1", "18446744073709551616", "1e308", "1e-308", "-0", ".nan",
        ".inf", "0", "4k", "1.5", "true", "null", "~", "[1, 2]", "{a: b}", "\"", "'", "*x", "&x 1",
        "!!str 1", "<<: *x", "|", ">", "%YAML 9", "---", "...", "\xff\xfe", "\xe2\x82", "@", "`",
        "4294967295", "65536", "1024", "CWDP", "vaq", "../ssd/default.yaml", "/", "",
        "9223372036854775807", "0x7f", "1_000", "randrw", "? [a]: b", "\t", ": :", "- - -"};
    return list;
}

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::string text_of(const std::vector<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines) {
        text += line + "\n";
    }
    return text;
}

/// Change the value behind the colon of one line.
void change_value(std::vector<std::string>& lines, Draws& d)
{
    std::string& line = lines[d.below(lines.size())];
    const std::size_t colon = line.find(':');
    line = (colon == std::string::npos ? line : line.substr(0, colon + 1) + " ") +
           values()[d.below(values().size())];
}

void rename_key(std::vector<std::string>& lines, Draws& d)
{
    std::string& line = lines[d.below(lines.size())];
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) {
        const std::size_t start = line.find_first_not_of(' ');
        line = line.substr(0, start) + keys()[d.below(keys().size())].name() + line.substr(colon);
    }
}

void swap_values(std::vector<std::string>& lines, Draws& d)
{
    std::string& a = lines[d.below(lines.size())];
    std::string& b = lines[d.below(lines.size())];
    const std::size_t at_a = a.find(':'), at_b = b.find(':');
    if (&a != &b && at_a != std::string::npos && at_b != std::string::npos) {
        const std::string tail = a.substr(at_a);
        a = a.substr(0, at_a) + b.substr(at_b);
        b = b.substr(0, at_b) + tail;
    }
}

std::string mutate(const std::string& original, Draws& d)
{
    std::string text = original;
    for (std::size_t n = 1 + d.below(3); n > 0; --n) {
        std::vector<std::string> lines = lines_of(text);
        if (lines.empty()) {
            break;
        }
        const std::size_t at = d.below(text.size());
        switch (d.below(9)) {
        case 0:
            text[at] = static_cast<char>(text[at] ^ (1 << d.below(8)));
            continue;
        case 1:
            text[at] = static_cast<char>(d.below(256));
            continue;
        case 2:
            text.resize(at);
            continue;
        case 3:
            text.insert(at, values()[d.below(values().size())]);
            continue;
        case 4:
            lines.erase(lines.begin() + static_cast<long>(d.below(lines.size())));
            break;
        case 5:
            lines.insert(lines.begin() + static_cast<long>(d.below(lines.size())),
                         lines[d.below(lines.size())]);
            break;
        case 6:
            change_value(lines, d);
            break;
        case 7:
            rename_key(lines, d);
            break;
        default:
            swap_values(lines, d);
            break;
        }
        text = text_of(lines);
    }
    return text;
}

/// The shipped devices as they stand, and each fully written out.
std::vector<std::string> originals()
{
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator("configs/ssd")) {
        paths.push_back(entry.path().string());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> texts;
    for (const std::string& path : paths) {
        std::ifstream in(path);
        std::ostringstream text;
        text << in.rdbuf();
        texts.push_back(text.str());
        texts.push_back(to_yaml(load(path, {})));
    }
    return texts;
}

/// A configuration that loads obeys the rules, whatever was in the file.
void expect_sane(const Config& c)
{
    EXPECT_GT(c.logical_pages(), 0u);
    EXPECT_LT(c.geometry.total_pages(), u64{1} << 32);
    EXPECT_LE(c.geometry.total_dies(), 1024u);
    EXPECT_EQ(c.geometry.dies % c.geometry.chip_enables, 0u);
    EXPECT_LT(c.cpu.core_of_ftl, c.cpu.cores);
    EXPECT_GE(c.buffer.bytes, u64{64} * c.geometry.page_bytes);
    EXPECT_EQ(load_text(to_yaml(c), "described", {}).hash, c.hash);
}

void try_mutant(u64 number, const std::string& text, const std::vector<std::string>& sets,
                int& loaded)
{
    try {
        expect_sane(load_text(text, "configs/ssd/mutant.yaml", Overrides{sets}));
        ++loaded;
    } catch (const InputError& e) {
        const std::string message = e.what();
        EXPECT_NE(message.find(':'), std::string::npos) << "mutant " << number << ": " << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << "mutant " << number << ": " << message;
        EXPECT_LT(message.size(), 1000u) << "mutant " << number;
    } catch (const std::exception& e) {
        ADD_FAILURE() << "mutant " << number << ": " << e.what() << "\n" << text;
    }
}

TEST(Fuzz, MutatedFilesLoadOrGiveOneClearMessage)
{
    const std::vector<std::string> texts = originals();
    const TempFolder t; // relative includes of the originals must resolve
    fs::create_directories(t.path() + "/configs");
    fs::copy("configs/nand", t.path() + "/configs/nand");
    fs::copy("configs/ssd", t.path() + "/configs/ssd");
    fs::copy("configs/workloads", t.path() + "/configs/workloads");
    const fs::path root = fs::current_path();
    fs::current_path(t.path() + "/configs/ssd");
    int loaded = 0;
    for (u64 i = 0; i < 1000; ++i) {
        Draws d(i);
        try_mutant(i, mutate(texts[d.below(texts.size())], d), {}, loaded);
    }
    fs::current_path(root);
    EXPECT_GT(loaded, 20); // or the mutants would all fail for one dull reason
    EXPECT_LT(loaded, 900);
}

TEST(Fuzz, MutatedPartsAndPresetsLoadOrGiveOneClearMessage)
{
    const TempFolder t;
    std::vector<std::string> texts[2];
    const char* const folders[2] = {"configs/nand", "configs/workloads"};
    for (int kind = 0; kind < 2; ++kind) {
        std::vector<std::string> paths;
        for (const auto& entry : fs::directory_iterator(folders[kind])) {
            paths.push_back(entry.path().string());
        }
        std::sort(paths.begin(), paths.end());
        for (const std::string& path : paths) {
            std::ifstream in(path);
            std::ostringstream text;
            text << in.rdbuf();
            texts[kind].push_back(text.str());
        }
    }
    int loaded = 0;
    for (u64 i = 0; i < 400; ++i) {
        Draws d(100000 + i);
        const int kind = static_cast<int>(d.below(2));
        const std::string file =
            t.write("m.yaml", mutate(texts[kind][d.below(texts[kind].size())], d));
        try_mutant(i, "", {(kind == 0 ? "nand=" : "workload=") + file}, loaded);
    }
    EXPECT_GT(loaded, 10);
    EXPECT_LT(loaded, 380);
}

TEST(Fuzz, MutatedSetsLoadOrGiveOneClearMessage)
{
    int loaded = 0;
    for (u64 i = 0; i < 400; ++i) {
        Draws d(200000 + i);
        std::string set = keys()[d.below(keys().size())].path + "=" +
                          values()[d.below(values().size())];
        if (d.below(4) == 0) {
            set[d.below(set.size())] = static_cast<char>(d.below(256));
        }
        try_mutant(i, "", {set}, loaded);
    }
    EXPECT_GT(loaded, 5);
    EXPECT_LT(loaded, 380);
}

} // namespace
} // namespace tlmssd::config
