// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: edit distance and "did you mean".
#include <gtest/gtest.h>

#include <vector>

#include "models/common/error.h"

namespace tlmssd {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsAndSubstitutions)
{
    EXPECT_EQ(edit_distance("", ""), 0u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("abc", ""), 3u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u); // k-s, e-i, +g
    EXPECT_EQ(edit_distance("flaw", "lawn"), 2u);
    EXPECT_EQ(edit_distance("buffer", "bufer"), 1u);
    EXPECT_EQ(edit_distance("ab", "ba"), 2u); // a swap is two
}

TEST(EditDistance, IsSymmetricAndKeepsTheTriangle)
{
    const std::vector<std::string> words{"sched", "scheduler", "seed", "", "chde", "inorder"};
    for (const std::string& a : words) {
        for (const std::string& b : words) {
            EXPECT_EQ(edit_distance(a, b), edit_distance(b, a));
            EXPECT_EQ(edit_distance(a, b) == 0, a == b);
            for (const std::string& c : words) {
                EXPECT_LE(edit_distance(a, c), edit_distance(a, b) + edit_distance(b, c));
            }
        }
    }
}

TEST(NearestOf, TakesTheFirstOfTheNearest)
{
    const std::vector<std::string> names{"serial", "barrier", "inorder", "vaq"};
    EXPECT_EQ(nearest_of("inoder", names), "inorder");
    EXPECT_EQ(nearest_of("bariar", names), "barrier");
    EXPECT_EQ(nearest_of("paq", names), "vaq");
    EXPECT_EQ(nearest_of("x", std::vector<std::string>{"b", "a"}), "b");
    EXPECT_EQ(nearest_of("x", std::vector<std::string>{}), "");
}

TEST(Errors, TellInputFromModel)
{
    EXPECT_THROW(throw InputError("a"), InputError);
    EXPECT_STREQ(InputError("file:1:2: key").what(), "file:1:2: key");
    EXPECT_FALSE((std::is_base_of_v<InputError, ModelError>));
    EXPECT_EQ(kExitInput, 2);
    EXPECT_EQ(kExitModel, 3);
}

} // namespace
} // namespace tlmssd
