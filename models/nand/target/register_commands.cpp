// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bytes of the registers that belong to a target or to a LUN.
#include "models/nand/target/register_commands.h"

#include <algorithm>

#include "models/nand/target/parameter_page.h"

namespace tlmssd::nand {

namespace cmd = onfi::cmd;
namespace feature = onfi::feature;
using onfi::Rule;

void RegisterCommands::read(u8 first)
{
    sequence_.first = CommandSequence::kNone;
    if (sequence_.address_count > 1) {
        luns_.violate(Rule::AddressCycles);
        return;
    }
    if (!luns_.all_ready()) {
        return;
    }
    const u8 address = static_cast<u8>(sequence_.addresses);
    std::vector<u8> bytes;
    if (first == cmd::kReadId) {
        bytes = read_id(device_.nand, address);
    } else if (address == 0) {
        bytes = first == cmd::kReadParameterPage
                    ? parameter_page_copies(device_.nand, device_.store.geometry(), device_.width)
                    : unique_id(device_.seed, number_);
    }
    if (bytes.empty()) {
        luns_.violate(Rule::FeatureAddress);
        return;
    }
    output_.deliver_bytes(std::move(bytes));
    if (first != cmd::kReadId) { // through the page registers
        for (TimedLun& each : luns_.all()) {
            each.lun.clear_registers();
        }
        luns_.occupy(nullptr, ArrayOp::Register, device_.nand.t_read);
    }
}

/// Address cycles of D4h, D5h, EEh and EFh. `lun`: the LUN named, null for all.
bool RegisterCommands::addressed(bool of_lun, TimedLun*& lun, u8& address)
{
    const u32 cycles = of_lun ? 2 : 1;
    lun = nullptr;
    if (sequence_.address_count != cycles) {
        luns_.violate(Rule::AddressCycles);
        return false;
    }
    if (of_lun) {
        const u32 index = sequence_.addresses & 0xff;
        if (index >= luns_.all().size()) {
            luns_.violate(Rule::RowRange, index);
            return false;
        }
        lun = &luns_.all()[index];
        luns_.select(*lun);
        if (!luns_.accessible(*lun, Access::Array)) {
            return false;
        }
    } else if (!luns_.all_ready()) {
        return false;
    }
    address = static_cast<u8>(sequence_.addresses >> (of_lun ? 8 : 0));
    if (!Features::known(address, of_lun)) {
        luns_.violate(Rule::FeatureAddress);
        return false;
    }
    return true;
}

void RegisterCommands::get_features(bool of_lun)
{
    TimedLun* lun = nullptr;
    u8 address = 0;
    const bool good = addressed(of_lun, lun, address);
    sequence_.first = CommandSequence::kNone;
    if (!good) {
        return;
    }
    FeatureBytes bytes{};
    if (address == feature::kReadRetry) {
        bytes[0] = static_cast<u8>(luns_.selected().lun.retry());
    } else {
        bytes = features_.get(address);
    }
    output_.deliver_bytes({bytes.begin(), bytes.end()});
    luns_.occupy(lun, ArrayOp::Feature, device_.nand.t_feature);
}

void RegisterCommands::refuse(Rule rule)
{
    sequence_.dead = true;
    luns_.violate(rule);
}

void RegisterCommands::set_features(bool of_lun, const onfi::Segment& segment)
{
    TimedLun* lun = nullptr;
    u8 address = 0;
    const bool good = addressed(of_lun, lun, address);
    sequence_.first = CommandSequence::kNone;
    if (!good) {
        sequence_.dead = true;
        return;
    }
    FeatureBytes bytes;
    if (segment.data_bytes != bytes.size()) {
        refuse(Rule::BurstLength);
        return;
    }
    std::copy_n(segment.data->bytes.begin(), bytes.size(), bytes.begin());
    if (!features_.legal(address, bytes)) {
        refuse(Rule::FeatureAddress);
        return;
    }
    output_.leave_status();
    if (address == feature::kReadRetry) { // each LUN has its own, and its own tFEAT
        for (TimedLun& each : luns_.all()) {
            if (lun == nullptr || lun == &each) {
                each.set_retry_later(bytes[0]);
            }
        }
    } else {
        features_.request(address, bytes);
    }
    luns_.occupy(lun, ArrayOp::Feature, device_.nand.t_feature);
}

} // namespace tlmssd::nand
