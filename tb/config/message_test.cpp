// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: each wrong file is told by place, key and the nearest valid name.
#include <gmock/gmock.h>

#include "models/config/keys/keys.h"
#include "models/config/keys/value.h"
#include "tb/config/cases.h"

namespace tlmssd::config {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Message, UnknownKeyNamesPlaceAndNearest)
{
    EXPECT_EQ(error_of("seed: 3\ngeometry:\n  chanels: 8\n"),
              "t.yaml:3:3: geometry.chanels: unknown key; did you mean 'channels'?");
    EXPECT_EQ(error_of("sheduler: vaq"),
              "t.yaml:1:1: sheduler: unknown key; did you mean 'scheduler'?");
    EXPECT_THAT(error_of("ftl: {gc: {treshold_blocks: 3}}"),
                EndsWith("ftl.gc.treshold_blocks: unknown key; did you mean 'threshold_blocks'?"));
}

TEST(Message, AWrongUnitIsAnUnknownKey)
{
    EXPECT_EQ(error_of("nand: {t_read_ns: 50000}"),
              "t.yaml:1:8: nand.t_read_ns: unknown key; did you mean 't_read_us'?");
    EXPECT_THAT(error_of("buffer: {size_mb: 1}"), HasSubstr("did you mean 'size_mib'?"));
    EXPECT_THAT(error_of("nand: {t_read_us: 50us}"),
                HasSubstr("nand.t_read_us: expected a number, found '50us'"));
}

TEST(Message, AKeyOfAnotherSectionIsNamedInFull)
{
    EXPECT_THAT(error_of("channels: 8"), EndsWith("did you mean 'geometry.channels'?"));
    EXPECT_THAT(error_of("cpu.mhz: 8"), EndsWith("did you mean 'mhz' in the map 'cpu'?"));
}

TEST(Message, UnknownChoiceNamesAllAndNearest)
{
    EXPECT_EQ(error_of("scheduler: inoder"),
              "t.yaml:1:12: scheduler: 'inoder' is not serial, barrier, inorder, vaq, host, paq0, paq1, "
              "paq2, sost or hybrid; "
              "did you mean 'inorder'?");
    EXPECT_THAT(error_of("sata: {gbps: 4}"), HasSubstr("'4' is not 1.5, 3 or 6"));
    EXPECT_THAT(error_of("data: bytes"), HasSubstr("'bytes' is not tags or full"));
}

TEST(Message, NumbersAreReadToTheirEnd)
{
    const char* expected = "t.yaml:1:12: cpu.mhz: expected an integer, found '";
    for (const char* text : {"12abc", "1.5", "0x10", "1e3", "4k", "1_000", "one", "+5", "~x"}) {
        EXPECT_EQ(error_of(std::string("cpu: {mhz: ") + text + "}"),
                  std::string(expected) + text + "'");
    }
    EXPECT_EQ(error_of("cpu: {mhz: \"800\"}"),
              "t.yaml:1:12: cpu.mhz: expected an integer, found the text '800'");
    EXPECT_THAT(error_of("workload: {bs: 4kb}"), HasSubstr("expected a size in bytes"));
    EXPECT_THAT(error_of("workload: {bs: k}"), HasSubstr("expected a size in bytes"));
}

TEST(Message, RangesAreStated)
{
    EXPECT_EQ(error_of("geometry: {channels: 33}"),
              "t.yaml:1:22: geometry.channels: '33' is out of range: 1 to 32");
    EXPECT_THAT(error_of("geometry: {channels: 0}"), HasSubstr("out of range: 1 to 32"));
    EXPECT_THAT(error_of("geometry: {channels: -1}"), HasSubstr("'-1' is out of range: 1 to 32"));
    EXPECT_THAT(error_of("cpu: {mhz: 99999999999999999999999}"), HasSubstr("out of range"));
    EXPECT_THAT(error_of("workload: {time_scale: 0}"),
                HasSubstr("out of range: above 0, at most 1e+06"));
    EXPECT_THAT(error_of("workload: {bs: 17179869184g}"), HasSubstr("out of range"));
    // a time that would be rounded to 0 ps is not the 0 that a word stands for
    EXPECT_THAT(error_of("controller: {timeout_us: 1e-7}"), HasSubstr("out of range: 1e-06 to 1e+09, or never"));
    EXPECT_THAT(error_of("onfi: {cycle_ns: 0.0009}"), HasSubstr("out of range: 0.001 to 1e+06, or auto"));
    EXPECT_THAT(error_of("nand: {t_read_us: 1e999}"), HasSubstr("out of range"));
    EXPECT_THAT(error_of("controller: {tags: 8}"), HasSubstr("out of range: 16 to 256"));
}

TEST(Message, NumbersAreFinite)
{
    for (const char* text : {".nan", ".inf", "nan", "inf", "-inf"}) {
        EXPECT_THAT(error_of(std::string("workload: {time_scale: ") + text + "}"),
                    HasSubstr("expected a number")) << text;
    }
}

TEST(Message, BooleansAreTrueOrFalse)
{
    EXPECT_FALSE(from("checker: false").checker);
    for (const char* text : {"yes", "0", "True", "\"true\""}) {
        EXPECT_THAT(error_of(std::string("checker: ") + text), HasSubstr("expected true or false"));
    }
}

TEST(Message, AKeyMayStandOnlyOnceInAMap)
{
    EXPECT_EQ(error_of("cpu:\n  mhz: 1\n  cores: 1\n  mhz: 2\n"),
              "t.yaml:4:3: mhz: given twice in the same map");
    EXPECT_THAT(error_of("cpu: {mhz: 1}\ncpu: {mhz: 2}\n"), StartsWith("t.yaml:2:1: cpu: given"));
}

TEST(Message, MapsAndValuesAreToldApart)
{
    EXPECT_EQ(error_of("cpu: 800"), "t.yaml:1:6: cpu: expected a map of keys, found '800'");
    EXPECT_THAT(error_of("cpu: [800]"), HasSubstr("expected a map of keys, found a list"));
    EXPECT_THAT(error_of("nand: [1]"), HasSubstr("expected a map of keys or the name of a file"));
    EXPECT_THAT(error_of("seed: {a: 1}"), HasSubstr("seed: expected one value, found a map"));
    EXPECT_THAT(error_of("seed:"), HasSubstr("seed: no value"));
    EXPECT_THAT(error_of("- seed"), HasSubstr("expected a map of keys, found a list"));
    EXPECT_THAT(error_of("{[1]: 2}"), HasSubstr("a key must be a word, not a list"));
    EXPECT_EQ(error_of("cpu:"), ""); // all its keys commented out
}

TEST(Message, SyntaxErrorsHaveAPlace)
{
    EXPECT_THAT(error_of("seed: 1\ncpu: {mhz: 1\n"),
                AllOf(StartsWith("t.yaml:"), HasSubstr("YAML: ")));
    EXPECT_THAT(error_of("seed: 1\n  cpu: 3\n"), StartsWith("t.yaml:2:6: YAML: "));
    EXPECT_THAT(error_of("seed: 1\n---\nseed: 2\n"), HasSubstr("a second YAML document"));
    EXPECT_THAT(error_of("seed: !!int 1"), HasSubstr("YAML tag"));
}

TEST(Message, TextMustBeUtf8WithoutControlCharacters)
{
    EXPECT_EQ(error_of("# caf\xe9\n"), "t.yaml:1:6: the text is not UTF-8");
    EXPECT_EQ(error_of("seed: 1\n\xc0\xaf"), "t.yaml:2:1: the text is not UTF-8"); // overlong '/'
    EXPECT_EQ(error_of("\xed\xa0\x80"), "t.yaml:1:1: the text is not UTF-8");      // surrogate
    EXPECT_EQ(error_of("\xc3\xa9: 1\xe2\x82"), "t.yaml:1:5: the text is not UTF-8"); // cut short
    EXPECT_EQ(error_of(std::string("seed: \0", 7)), "t.yaml:1:7: control character 0 in the text");
    EXPECT_EQ(error_of("# caf\xc3\xa9 \xf0\x9f\x98\x80\n"), "");
}

TEST(Message, BombsAreRefused)
{
    EXPECT_THAT(error_of("a: &x [1]\nb: [*x, *x]\n"),
                HasSubstr("anchors and aliases are not used"));
    EXPECT_THAT(error_of("a: &x [*x]"), HasSubstr("anchors and aliases are not used"));
    EXPECT_THAT(error_of("a: *nothing"), StartsWith("t.yaml:1:4: "));
    EXPECT_THAT(error_of("a: " + std::string(100000, '[')), HasSubstr("nested deeper than 8"));
    EXPECT_THAT(error_of(std::string(100000, '-') + " 1"), HasSubstr("expected a map"));
    std::string dashes;
    for (int i = 0; i < 50000; ++i) {
        dashes += "- ";
    }
    EXPECT_THAT(error_of(dashes), HasSubstr("nested deeper than 8"));
    const std::string x(40, 'x'); // long words are shown in part
    EXPECT_EQ(error_of("cpu: {" + std::string(1000, 'x') + ": 1}"),
              "t.yaml:1:7: cpu." + x + "...: unknown key");
    EXPECT_NE(error_of("cpu: {" + std::string(500000, 'x') + ": 1}"), "");
}

TEST(Message, SetNamesItselfInsteadOfAFile)
{
    EXPECT_EQ(error_of("", {"cpu.mhz=abc"}),
              "--set cpu.mhz=abc: cpu.mhz: expected an integer, found 'abc'");
    EXPECT_EQ(error_of("", {"cpu.mhzz=1"}),
              "--set cpu.mhzz=1: cpu.mhzz: unknown key; did you mean 'cpu.mhz'?");
    EXPECT_THAT(error_of("", {"cpu.mhz"}), HasSubstr("--set cpu.mhz: expected key=value"));
    EXPECT_THAT(error_of("", {"=1"}), HasSubstr("expected key=value"));
    EXPECT_THAT(error_of("", {""}), HasSubstr("expected key=value"));
    EXPECT_THAT(error_of("", {"cpu.mhz="}), HasSubstr("cpu.mhz: no value"));
    EXPECT_THAT(error_of("", {"cpu=1"}), HasSubstr("is a map of keys; set one of them"));
    EXPECT_THAT(error_of("", {"include=a.yaml"}), HasSubstr("can only stand in a file"));
    EXPECT_THAT(error_of("", {"workload.name='abc"}), HasSubstr("YAML: "));
    EXPECT_THAT(error_of("", {"workload.name=\xff"}), HasSubstr("not UTF-8"));
    EXPECT_THAT(error_of("", {"nand=absent.yaml"}),
                AllOf(StartsWith("--set nand=absent.yaml: nand: cannot read 'absent.yaml'")));
}

TEST(Message, ARenamedKeyIsCalledByItsNewName)
{
    EXPECT_EQ(error_of("seed: 1\ncontroller: {suspends: 3}"),
              "t.yaml:2:14: controller.suspends: was renamed to 'controller.suspend_limit'");
    EXPECT_EQ(error_of("", {"nvme.commands=16"}),
              "--set nvme.commands=16: nvme.commands: was renamed to 'nvme.command_limit'");
    EXPECT_THAT(error_of("prefetch: {pages: 64}"), EndsWith("was renamed to 'prefetch.sequence_pages'"));
}

TEST(Message, AZeroWithAMeaningIsAWord)
{
    EXPECT_EQ(error_of("controller: {timeout_us: 0}"), "t.yaml:1:26: controller.timeout_us: 0 is written 'never'");
    EXPECT_EQ(error_of("", {"host.direct_mb_per_s=0.0"}),
              "--set host.direct_mb_per_s=0.0: host.direct_mb_per_s: 0 is written 'unlimited'");
    EXPECT_THAT(error_of("workload: {io_size: 0k}"), EndsWith("0 is written 'unlimited'"));
    EXPECT_THAT(error_of("buffer: {read_ahead: 2000}"), EndsWith("out of range: 1 to 1024, or none"));
    EXPECT_THAT(error_of("buffer: {read_ahead: unlimited}"), HasSubstr("expected an integer or none"));
    for (const Key& key : keys()) {
        if (!key.zero_word.empty()) {
            const Value value = parse_value(key, key.zero_word, false, Origin{});
            EXPECT_EQ(value.number, 0u) << key.path;
            EXPECT_EQ(value.real, 0) << key.path;
            EXPECT_EQ(format_value(key, value), key.zero_word) << key.path;
            EXPECT_THROW(parse_value(key, "0", false, Origin{}), InputError) << key.path;
        }
    }
}

TEST(Message, MissingFilesAreNamed)
{
    EXPECT_EQ(error_of("seed: 1\ninclude: absent.yaml"),
              "t.yaml:2:10: include: cannot read 'absent.yaml': No such file or directory");
    EXPECT_THAT(error_of("nand: absent.yaml"), HasSubstr("nand: cannot read 'absent.yaml'"));
    EXPECT_THAT(error_of("workload: {trace: absent.csv}"),
                StartsWith("t.yaml:1:19: workload.trace: cannot read 'absent.csv'"));
    EXPECT_THAT(error_of("workload: randreed-4k"),
                AllOf(HasSubstr("no preset 'randreed-4k'"),
                      EndsWith("did you mean 'randread-4k'?")));
    EXPECT_EQ(error_of("nand: \"a\\nb\""),
              "t.yaml:1:7: nand: cannot read 'a?b': No such file or directory");
    EXPECT_THAT(error_of("include: ."), HasSubstr("is a folder, not a file"));
    EXPECT_THAT(error_of("include: /dev/zero"), HasSubstr("larger than 1 MiB"));
    EXPECT_THAT(error_of("include: {a: b}"), HasSubstr("expected a path or a list of paths"));
    EXPECT_THROW(load("absent.yaml", {}), InputError);
}

// The tables of cases are as strict as says().
TEST(Cases, HaveTheWordsInOrderAndAWholeMessageAsAWhole)
{
    EXPECT_TRUE(says("", ""));
    EXPECT_FALSE(says("k: wrong", ""));
    EXPECT_TRUE(says("k: wrong; use 3", "wrong"));
    EXPECT_TRUE(says("k: wrong; use 3", "wrong...use 3"));
    EXPECT_FALSE(says("k: wrong; use 3", "use 3...wrong"));
    EXPECT_FALSE(says("k: wrong; use 3", "wrong...wrong"));
    EXPECT_TRUE(says("t.yaml:1:2: k: wrong; use 3", "t.yaml:1:2: k: wrong; use 3"));
    EXPECT_FALSE(says("t.yaml:1:2: k: wrong; use 3", "t.yaml:1:2: k: wrong"));
    EXPECT_TRUE(says("t.yaml:1:2: k: wrong; use 3", "t.yaml:1:2: k: wrong..."));
    EXPECT_TRUE(says("t.yaml:1:2: k: wrong; use 3", "t.yaml:1:2: ...use 3"));
    EXPECT_FALSE(says("t.yaml:1:2: k: wrong; use 3", "t.yaml:1:2: ...use"));
    EXPECT_FALSE(says("--set a=b: t.yaml:1:2: k", "t.yaml:1:2: k"));
    EXPECT_EQ(with_word("a$b$", "12"), "a12b12");
}

} // namespace
} // namespace tlmssd::config
