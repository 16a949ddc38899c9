// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: results, their JSON Schema and their documentation name the same keys.
#include <fstream>
#include <gmock/gmock.h>
#include <sstream>

#include "tb/observe/sample_results.h"
#include "tb/observe/schema_check.h"

namespace tlmssd::observe {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// Tests run in the repository's root.
std::string file_text(const std::string& path)
{
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

class ResultsSchema : public testing::Test {
protected:
    Json schema_ = Json::parse(file_text("docs/reference/results.schema.json"));
    tb::SchemaCheck check_{schema_};
};

TEST_F(ResultsSchema, AcceptsACompleteDocument)
{
    EXPECT_THAT(check_.faults(tb::sample_results().json()), IsEmpty());
}

TEST_F(ResultsSchema, AcceptsNullsWhereNothingWasCounted)
{
    EXPECT_THAT(check_.faults(tb::sample_results(true).json()), IsEmpty());
}

TEST_F(ResultsSchema, AcceptsWhatIsReadBackFromText)
{
    EXPECT_THAT(check_.faults(Json::parse(text_of(tb::sample_results().json()))), IsEmpty());
}

TEST_F(ResultsSchema, RejectsEachMissingOrUnknownKey)
{
    const Json good = tb::sample_results().json();
    const Json flat = good.flatten();
    for (const auto& item : flat.items()) {
        const Json::json_pointer at(item.key());
        if (item.key().rfind("/config/", 0) == 0) {
            continue; // free here, checked by its own schema
        }
        Json parent_changed = good;
        Json& parent = parent_changed.at(at.parent_pointer());
        if (parent.is_object()) {
            parent.erase(at.back());
            EXPECT_FALSE(check_.faults(parent_changed).empty()) << "without " << item.key();
            parent[at.back()] = good.at(at);
            EXPECT_TRUE(check_.faults(parent_changed).empty()) << item.key();
            parent["surplus"] = 1;
            EXPECT_FALSE(check_.faults(parent_changed).empty()) << "beside " << item.key();
        }
        Json wrong_type = good;
        wrong_type.at(at) = Json::object();
        EXPECT_FALSE(check_.faults(wrong_type).empty()) << item.key() << " as object";
    }
}

TEST_F(ResultsSchema, RejectsValuesOutOfRange)
{
    const auto faults_with = [this](const char* pointer, const Json& value) {
        Json document = tb::sample_results().json();
        document.at(Json::json_pointer(pointer)) = value;
        return check_.faults(document);
    };
    EXPECT_THAT(faults_with("/bound/fraction_of_bound", 1.001), Contains(HasSubstr("above 1")));
    EXPECT_THAT(faults_with("/bound/limiter", "dram"), Contains(HasSubstr("not one of")));
    EXPECT_THAT(faults_with("/host/reads/count", -1), Contains(HasSubstr("below 0")));
    EXPECT_THAT(faults_with("/host/reads/count", 1.5), Contains(HasSubstr("type")));
    EXPECT_THAT(faults_with("/schema", "tlmssd-results-2"), Contains(HasSubstr("is not")));
    EXPECT_THAT(faults_with("/config_hash", "xyz"), Contains(HasSubstr("match")));
    EXPECT_THAT(faults_with("/sim/time_s", nullptr), Contains(HasSubstr("type")));
}

/// "a.{b,c}.d" -> "a.b.d", "a.c.d"; braces do not nest.
void expand(const std::string& text, std::set<std::string>& out)
{
    const std::size_t open = text.find('{');
    const std::size_t close = text.find('}', open);
    if (open == std::string::npos || close == std::string::npos) {
        out.insert(text);
        return;
    }
    for (std::size_t begin = open + 1; begin <= close;) {
        const std::size_t end = std::min(text.find(',', begin), close);
        expand(text.substr(0, open) + text.substr(begin, end - begin) + text.substr(close + 1),
               out);
        begin = end + 1;
    }
}

TEST_F(ResultsSchema, DocumentationNamesExactlyTheKeysOfTheSchema)
{
    // The first cell of each table row in docs/reference/results.md holds keys in backticks.
    std::istringstream text(file_text("docs/reference/results.md"));
    std::set<std::string> documented;
    for (std::string line; std::getline(text, line);) {
        const std::string cell = line.rfind("| `", 0) == 0 ? line.substr(0, line.find('|', 1)) : "";
        for (std::size_t open = cell.find('`'); open != std::string::npos;) {
            const std::size_t close = cell.find('`', open + 1);
            expand(cell.substr(open + 1, close - open - 1), documented);
            open = cell.find('`', close + 1);
        }
    }
    EXPECT_EQ(documented, check_.leaves());
}

} // namespace
} // namespace tlmssd::observe
