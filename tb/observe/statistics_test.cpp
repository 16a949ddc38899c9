// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tables of statistics: their values in a document, its keys, its schema, the tables of a page.
#include "models/observe/statistics.h"

#include <gmock/gmock.h>
#include <limits>

#include "models/common/error.h"
#include "models/observe/catalogue.h"
#include "tb/observe/schema_check.h"

namespace tlmssd::observe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// A lift that counts.
struct Door {
    u32 openings = 0;
    Picoseconds open;
};
struct Cable {
    double strain = 0;
};
struct Lift {
    u64 rides = 0;
    double load = 0;
    bool broken = false;
    Picoseconds moving;
    std::string maker = "none";
    std::vector<Door> doors;
    std::optional<Cable> cable;
    bool has_alarm = false;
    u64 alarms = 0;
};

const Table<Door>& door_table()
{
    static const Table<Door> table("door", Show::Rows,
                                   {{"openings", Unit::Count, "times that it opened", &Door::openings},
                                    {"open_us", Unit::Microseconds, "time for which it was open", &Door::open}});
    return table;
}

const Table<Cable>& cable_table()
{
    static const Table<Cable> table({{"strain", Unit::Percent, "strain of the cable", &Cable::strain}});
    return table;
}

const Table<Lift>& motion_table()
{
    static const Table<Lift> table({{"moving_s", Unit::Seconds, "time for which it moved", &Lift::moving}});
    return table;
}

const Table<Lift>& lift_table()
{
    using L = Lift;
    static constexpr Only<L> kAlarm{"with an alarm", [](const L& l) { return l.has_alarm; }};
    static const Table<L> table(
        {{"rides", Unit::Count, "rides of [people](people.md)", &L::rides},
         {"load.mean", Unit::Ratio, "mean load; `null` without rides",
          [](const L& l) { return ratio(l.load, static_cast<double>(l.rides)); }},
         {"broken", Unit::None, "whether it stands", &L::broken},
         Statistic<L>{"maker", Unit::None, "who made it", &L::maker}.one_of({"none", "acme"}),
         {"", "", motion_table, [](const L& l) -> const L& { return l; }},
         {"front", "the front door", door_table, [](const L& l) -> const Door& { return l.doors.front(); }},
         {"back", "the back door", door_table, [](const L& l) -> const Door& { return l.doors.back(); }},
         Statistic<L>{"doors", "each door", door_table, [](const L& l) { return l.doors; }}.never_empty(),
         {"cable", "the cable", cable_table, [](const L& l) { return l.cable; }},
         Statistic<L>{"openings", Unit::Count, "of each door",
                      [](const L& l) {
                          std::vector<u64> n;
                          for (const Door& d : l.doors) {
                              n.push_back(d.openings);
                          }
                          return n;
                      }}
             .never_empty(),
         {"alarm.rung", Unit::Count, "times that it rang", &L::alarms, &kAlarm},
         {"load.alarms", Unit::Count, "times that it was too heavy", &L::alarms, &kAlarm}});
    return table;
}

Lift small_lift()
{
    Lift lift;
    lift.rides = 4;
    lift.load = 10;
    lift.moving = milliseconds(1500);
    lift.doors = {{3, Picoseconds(123456789)}, {1, Picoseconds()}};
    return lift;
}

Json document_of(const Lift& lift)
{
    Json document;
    lift_table().put(document, "", lift);
    return document;
}

TEST(Statistics, StandInTheOrderOfTheirTable)
{
    EXPECT_EQ(document_of(small_lift()).dump(),
              R"({"rides":4,"load":{"mean":2.5},"broken":false,"maker":"none","moving_s":1.5,)"
              R"("front":{"openings":3,"open_us":123.456789},"back":{"openings":1,"open_us":0.0},)"
              R"("doors":[{"openings":3,"open_us":123.456789},{"openings":1,"open_us":0.0}],)"
              R"("cable":null,"openings":[3,1]})");
}

TEST(Statistics, ExistOnlyWhereTheirConditionHolds)
{
    Lift lift = small_lift();
    lift.has_alarm = true;
    lift.alarms = 2;
    lift.cable = Cable{12.5};
    const Json document = document_of(lift);
    EXPECT_EQ(document.at("alarm").dump(), R"({"rung":2})");
    EXPECT_EQ(document.at("load").dump(), R"({"mean":2.5,"alarms":2})");
    EXPECT_EQ(document.at("cable").dump(), R"({"strain":12.5})");
}

TEST(Statistics, AreNullWhereNothingIsDefined)
{
    Lift lift = small_lift();
    lift.rides = 0;
    EXPECT_TRUE(document_of(lift).at("load").at("mean").is_null());
}

TEST(Statistics, NameTheKeyOfANumberThatIsNotFinite)
{
    Lift lift = small_lift();
    lift.cable = Cable{std::numeric_limits<double>::infinity()};
    try {
        document_of(lift);
        FAIL() << "no error";
    } catch (const ModelError& error) {
        EXPECT_STREQ(error.what(), "results: cable.strain is not a finite number");
    }
}

TEST(Statistics, ATimeNeedsAUnitOfTime)
{
    static const Table<Door> table({{"open", Unit::Count, "time", &Door::open}});
    Json document;
    EXPECT_THROW(table.put(document, "", Door()), ModelError);
}

// ---- keys ----

TEST(Catalogue, NamesEachLeafAndWhenItExists)
{
    const auto leaves = leaves_of(key_tree(lift_table().info()));
    EXPECT_THAT(leaves,
                ElementsAre(Pair("alarm.rung", "with an alarm"), Pair("back.open_us", ""), Pair("back.openings", ""),
                            Pair("broken", ""), Pair("cable.strain", ""), Pair("doors[].open_us", ""),
                            Pair("doors[].openings", ""), Pair("front.open_us", ""), Pair("front.openings", ""),
                            Pair("load.alarms", "with an alarm"), Pair("load.mean", ""), Pair("maker", ""),
                            Pair("moving_s", ""), Pair("openings[]", ""), Pair("rides", "")));
}

TEST(Catalogue, KeysOfADocumentAreWrittenAlike)
{
    EXPECT_THAT(leaves_of(Json::parse(R"({"a":{"b":1,"c":[]},"d":[{"e":1},{"f":null}],"g":[1,2]})")),
                ElementsAre("a.b", "a.c", "d[].e", "d[].f", "g[]"));
}

TEST(Catalogue, RefusesTwoRowsOfOneKey)
{
    static const Table<Door> twice({{"a", Unit::Count, "one", &Door::openings}, {"a", Unit::Count, "two", &Door::openings}});
    EXPECT_THROW(key_tree(twice.info()), ModelError);
    static const Table<Door> both({{"a", Unit::Count, "one", &Door::openings}, {"a.b", Unit::Count, "two", &Door::openings}});
    EXPECT_THROW(key_tree(both.info()), ModelError);
}

// ---- schema ----

class LiftSchema : public testing::Test {
protected:
    Json schema_ =
        Json::parse(schema_of({"lift-1", "lift", "All about a lift.", "lift.json", "lift.md", lift_table().info()}));
    tb::SchemaCheck check_{schema_};
};

TEST_F(LiftSchema, AcceptsWhatIsWritten)
{
    Lift lift = small_lift();
    EXPECT_THAT(check_.faults(document_of(lift)), IsEmpty());
    lift.has_alarm = true;
    lift.cable = Cable{100};
    lift.rides = 0;
    EXPECT_THAT(check_.faults(document_of(lift)), IsEmpty());
}

TEST_F(LiftSchema, RejectsWhatTheTableDoesNotAllow)
{
    const Json good = document_of(small_lift());
    const auto with = [&](const char* pointer, const Json& value) {
        Json document = good;
        document[Json::json_pointer(pointer)] = value;
        return check_.faults(document).size();
    };
    EXPECT_EQ(with("/rides", 5), 0u);
    EXPECT_EQ(with("/rides", 1.5), 1u);
    EXPECT_EQ(with("/rides", nullptr), 1u);
    EXPECT_EQ(with("/rides", -1), 1u);
    EXPECT_EQ(with("/load/mean", -0.5), 1u);
    EXPECT_EQ(with("/load/surplus", 1), 1u);
    EXPECT_EQ(with("/maker", "other"), 1u);
    EXPECT_EQ(with("/broken", 1), 1u);
    EXPECT_EQ(with("/doors", Json::array()), 1u);
    EXPECT_EQ(with("/openings", Json::array()), 1u);
    EXPECT_EQ(with("/openings", Json::array({1, nullptr})), 1u);
    EXPECT_EQ(with("/cable", Json{{"strain", 101}}), 1u);
    EXPECT_EQ(with("/front", nullptr), 1u);
    EXPECT_EQ(with("/alarm", Json::object()), 1u) << "an alarm that says nothing";
}

TEST_F(LiftSchema, DescribesEachKeyWithItsUnit)
{
    const Json& properties = schema_.at("properties");
    EXPECT_EQ(properties.at("rides").dump(),
              R"({"description":"rides of people","unit":"count","type":"integer","minimum":0})");
    EXPECT_EQ(properties.at("front").dump(), R"({"description":"the front door","$ref":"#/$defs/door"})");
    EXPECT_EQ(properties.at("alarm").at("description"), "only with an alarm");
    EXPECT_EQ(properties.at("load").at("properties").at("alarms").at("description"),
              "times that it was too heavy; only with an alarm");
    EXPECT_EQ(schema_.at("$defs").at("door").at("required").dump(), R"(["openings","open_us"])");
}

// ---- page ----

const char kPage[] = "# Lift\n"
                     "<!-- statistics: rides load maker -->\n"
                     "old\n"
                     "<!-- end of statistics -->\n"
                     "between\n"
                     "<!-- statistics: front back doors openings broken moving_s cable alarm -->\n"
                     "<!-- end of statistics -->\n";

TEST(CataloguePage, MakesTheTablesBetweenItsMarks)
{
    const std::string page = page_with_tables(kPage, key_tree(lift_table().info()));
    EXPECT_EQ(page, "# Lift\n"
                    "<!-- statistics: rides load maker -->\n"
                    "| key | unit | meaning |\n"
                    "|---|---|---|\n"
                    "| `rides` | count | rides of [people](people.md) |\n"
                    "| `load.mean` | ratio | mean load; `null` without rides |\n"
                    "| `load.alarms` | count | times that it was too heavy; only with an alarm |\n"
                    "| `maker` | | who made it: `none`, `acme` |\n"
                    "<!-- end of statistics -->\n"
                    "between\n"
                    "<!-- statistics: front back doors openings broken moving_s cable alarm -->\n"
                    "| key | unit | meaning |\n"
                    "|---|---|---|\n"
                    "| `broken` | | whether it stands |\n"
                    "| `moving_s` | s | time for which it moved |\n"
                    "| `{front,back}.openings` | count | times that it opened |\n"
                    "| `{front,back}.open_us` | us | time for which it was open |\n"
                    "| `doors[].openings` | count | times that it opened |\n"
                    "| `doors[].open_us` | us | time for which it was open |\n"
                    "| `cable.strain` | % | strain of the cable |\n"
                    "| `openings[]` | count | of each door |\n"
                    "| `alarm.rung` | count | times that it rang; only with an alarm |\n"
                    "<!-- end of statistics -->\n");
    EXPECT_EQ(page_with_tables(page, key_tree(lift_table().info())), page) << "a second time";
}

TEST(CataloguePage, RefusesMarksThatDoNotFit)
{
    const KeyNode keys = key_tree(door_table().info());
    const auto refusal = [&](const std::string& page) -> std::string {
        try {
            page_with_tables(page, keys);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    const std::string end = "<!-- end of statistics -->\n";
    EXPECT_THAT(refusal("<!-- statistics: openings -->\n" + end), HasSubstr("no table shows open_us"));
    EXPECT_THAT(refusal("<!-- statistics: openings open_us shut -->\n" + end), HasSubstr("shut is no key"));
    EXPECT_THAT(refusal("<!-- statistics: openings openings open_us -->\n" + end), HasSubstr("openings is no key"));
    EXPECT_THAT(refusal("<!-- statistics: openings open_us -->\n"), HasSubstr("has no <!-- end"));
    EXPECT_THAT(refusal("<!-- statistics: openings -->\n<!-- statistics: open_us -->\n" + end),
                HasSubstr("the table before has no"));
}

} // namespace
} // namespace tlmssd::observe
