// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: READ ID, parameter page, unique ID, and the features of a target.
#include <algorithm>

#include "models/nand/target/parameter_page.h"
#include "models/nand/target/target.h"

namespace tlmssd::nand {

namespace cmd = onfi::cmd;
namespace feature = onfi::feature;
using onfi::Rule;

/// These commands are the target's: no LUN may be busy.
bool Target::all_ready()
{
    return std::all_of(slots_.begin(), slots_.end(), [this](const Slot& slot) {
        return slot.silent || accessible(slot, Access::Array);
    });
}

/// One LUN, or (null) all LUNs of the target.
void Target::occupy(Slot* slot, ArrayOp kind, Picoseconds time)
{
    for (Slot& each : slots_) {
        if (!each.silent && (slot == nullptr || slot == &each)) {
            start(each, each.lun.occupy(kind, time, begin_at()));
        }
    }
}

/// 90h, ECh, EDh and their one address.
void Target::read_register(u8 first)
{
    first_ = kNone;
    if (address_count_ > 1) {
        violate(Rule::AddressCycles, selected_);
        return;
    }
    if (!all_ready()) {
        return;
    }
    const u8 address = static_cast<u8>(addresses_);
    std::vector<u8> bytes;
    if (first == cmd::kReadId) {
        bytes = read_id(device_.nand, address);
    } else if (address == 0) {
        const u32 target = channel_.index() * geometry_.ces_per_channel() + ce_;
        bytes = first == cmd::kReadParameterPage
                    ? parameter_page_copies(device_.nand, geometry_, device_.width)
                    : unique_id(device_.seed, target);
    }
    if (bytes.empty()) {
        violate(Rule::FeatureAddress, selected_);
        return;
    }
    register_ = std::move(bytes);
    register_at_ = 0;
    output_ = Output::Bytes;
    status_out_ = false;
    if (first != cmd::kReadId) { // through the page registers
        for (Slot& slot : slots_) {
            slot.lun.clear_registers();
        }
        occupy(nullptr, ArrayOp::Register, device_.nand.t_read);
    }
}

/// Address cycles of D4h, D5h, EEh and EFh. `slot`: the LUN named, null for all.
bool Target::feature_addressed(bool of_lun, Slot*& slot)
{
    const u32 cycles = of_lun ? 2 : 1;
    slot = nullptr;
    if (address_count_ != cycles) {
        violate(Rule::AddressCycles, selected_);
        return false;
    }
    if (of_lun) {
        const u32 lun = addresses_ & 0xff;
        if (lun >= slots_.size()) {
            violate(Rule::RowRange, lun);
            return false;
        }
        slot = &slots_[lun];
        selected_ = lun;
        if (!accessible(*slot, Access::Array)) {
            return false;
        }
    } else if (!all_ready()) {
        return false;
    }
    feature_address_ = static_cast<u8>(addresses_ >> (of_lun ? 8 : 0));
    if (!Features::known(feature_address_, of_lun)) {
        violate(Rule::FeatureAddress, selected_);
        return false;
    }
    return true;
}

void Target::get_features(bool of_lun)
{
    Slot* slot = nullptr;
    const bool good = feature_addressed(of_lun, slot);
    first_ = kNone;
    if (!good) {
        return;
    }
    FeatureBytes bytes{};
    if (feature_address_ == feature::kReadRetry) {
        bytes[0] = static_cast<u8>(slots_[selected_].lun.retry());
    } else {
        bytes = features_.get(feature_address_);
    }
    register_.assign(bytes.begin(), bytes.end());
    register_at_ = 0;
    output_ = Output::Bytes;
    status_out_ = false;
    occupy(slot, ArrayOp::Feature, device_.nand.t_feature);
}

void Target::set_features(bool of_lun, const onfi::Segment& segment)
{
    Slot* slot = nullptr;
    const bool good = feature_addressed(of_lun, slot);
    first_ = kNone;
    if (!good) {
        dead_ = true;
        return;
    }
    if (segment.data_bytes != feature_bytes_.size()) {
        dead_ = true;
        violate(Rule::BurstLength, selected_);
        return;
    }
    FeatureBytes bytes;
    std::copy_n(segment.data->bytes.begin(), bytes.size(), bytes.begin());
    if (!features_.legal(feature_address_, bytes)) {
        dead_ = true;
        violate(Rule::FeatureAddress, selected_);
        return;
    }
    status_out_ = false;
    if (feature_address_ == feature::kReadRetry) { // each LUN has its own, and its own tFEAT
        for (Slot& each : slots_) {
            if (slot == nullptr || slot == &each) {
                each.retry_due = bytes[0];
            }
        }
    } else {
        feature_bytes_ = bytes;
        feature_due_ = true;
    }
    occupy(slot, ArrayOp::Feature, device_.nand.t_feature);
}

/// tFEAT of `slot` has passed.
void Target::apply_feature(Slot& slot)
{
    if (slot.retry_due != Slot::kNoRetry) {
        slot.lun.set_retry(static_cast<u8>(slot.retry_due));
        slot.retry_due = Slot::kNoRetry;
    }
    if (feature_due_) { // of the target: the first of its LUNs is enough
        feature_due_ = false;
        features_.set(feature_address_, feature_bytes_);
        understood_ = nullptr;
    }
}

} // namespace tlmssd::nand
