// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the 24 allocation orders are accepted, everything else is not.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "models/config/text/names.h"
#include "tb/config/support.h"

namespace tlmssd::config {
namespace {

using testing::HasSubstr;

TEST(Allocation, AcceptsEachPermutationOfCwdpAndNothingElse)
{
    const std::string letters = "CDPW";
    std::set<std::string> accepted;
    for (int i = 0; i < 256; ++i) { // every word of four of these letters
        const std::string word{letters[i & 3], letters[(i >> 2) & 3], letters[(i >> 4) & 3],
                               letters[(i >> 6) & 3]};
        if (error_of("ftl: {allocation: " + word + "}").empty()) {
            EXPECT_EQ(from("ftl: {allocation: " + word + "}").ftl.allocation, word);
            accepted.insert(word);
        }
    }
    EXPECT_EQ(accepted.size(), 24u);
    for (const std::string& word : accepted) {
        EXPECT_EQ(std::set<char>(word.begin(), word.end()).size(), 4u) << word;
    }
}

TEST(Allocation, DefaultsToCwdp) { EXPECT_EQ(from("").ftl.allocation, "CWDP"); }

TEST(Allocation, NamesTheNearestOrder)
{
    EXPECT_EQ(error_of("ftl: {allocation: PDWX}"),
              "t.yaml:1:19: ftl.allocation: 'PDWX' is not one of its 24 choices; "
              "did you mean 'PDWC'?");
    EXPECT_THAT(error_of("ftl: {allocation: cwdp}"), HasSubstr("'cwdp' is not one of its 24"));
}

} // namespace
} // namespace tlmssd::config
