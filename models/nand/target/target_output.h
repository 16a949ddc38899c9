// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the bursts out of a target deliver.
#pragma once

#include <utility>
#include <vector>

#include "models/common/geometry.h"
#include "models/nand/lun/lun.h"
#include "models/onfi/bus/segment.h"

namespace tlmssd::nand {

/// Page data, register bytes (ID, parameter page, unique ID, features), or the status register,
/// after which what was delivered before goes on.
class TargetOutput {
public:
    void deliver_page()
    {
        status_ = false;
        bytes_chosen_ = false;
    }
    void deliver_bytes(std::vector<u8> bytes)
    {
        bytes_ = std::move(bytes);
        at_ = 0;
        bytes_chosen_ = true;
        status_ = false;
    }
    /// Of one plane, or of Lun::kAllPlanes.
    void deliver_status(u32 plane)
    {
        status_ = true;
        status_plane_ = plane;
    }
    void leave_status() { status_ = false; }

    bool is_status() const { return status_; }
    bool is_bytes() const { return bytes_chosen_; }
    u32 status_plane() const { return status_plane_; }

    /// The next register byte to be delivered.
    void seek(u32 column) { at_ = column; }
    /// Register bytes; they come again when the last has been read.
    void put_bytes(onfi::Segment& segment);
    /// The status byte, as often as the burst asks.
    static void put_status(onfi::Segment& segment, u8 status);
    /// Nobody drives the bus: pull-ups make it read FFh, which no codeword is.
    static void put_silence(onfi::Segment& segment, const Geometry& geometry);

private:
    bool status_ = false; ///< bursts out deliver the status register
    bool bytes_chosen_ = false;
    u32 status_plane_ = Lun::kAllPlanes;
    u32 at_ = 0;
    std::vector<u8> bytes_;
};

} // namespace tlmssd::nand
