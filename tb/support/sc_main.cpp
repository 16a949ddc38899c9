// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: main() of tests on the SystemC kernel. A report of WARNING or above fails the test.
#include <gmock/gmock.h>
#include <systemc>

namespace {

void fail_on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions)
{
    if (report.get_severity() >= sc_core::SC_WARNING) {
        ADD_FAILURE() << report.get_msg_type() << ": " << report.get_msg();
    }
    sc_core::sc_report_handler::default_handler(report, actions);
}

} // namespace

int sc_main(int argc, char** argv)
{
    testing::InitGoogleMock(&argc, argv);
    sc_core::sc_report_handler::set_handler(fail_on_report);
    return RUN_ALL_TESTS();
}

int main(int argc, char** argv) { return sc_core::sc_elab_and_sim(argc, argv); }
