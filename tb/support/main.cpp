// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: main() of tests that need no SystemC kernel.
#include <gmock/gmock.h>

int main(int argc, char** argv)
{
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
