// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: between a pin reader and a target: the cycles of one CE# low become one segment again.
#pragma once

#include <array>
#include <vector>

#include "models/common/geometry.h"
#include "models/onfi/pins/pin_reader.h"

namespace tlmssd::onfi {

/// Bind it to a PinReader in the target's place. All that the reader has recognised while CE# was
/// low is passed to the target when CE# rises, as one segment, since nothing happens in a die
/// before: as onfi::Channel does. In front of a burst out the target gets what came before it with
/// the first strobe, and gives the whole burst.
///
/// One thing comes by a call and not from the pins: how many bytes of the burst count (announce()),
/// so that a die moves one burst and not thousands of one byte, and a filler of the last strobe is
/// no data. A burst of another length is a ModelError. With `data: full` the integrity tags, which
/// are no bytes then, travel beside.
class PinTarget final : public TargetIf {
public:
    PinTarget(u32 ce, const PinReader& reader, TargetIf& target, const PinBytes& bytes)
        : ce_(ce), reader_(reader), target_(target), bytes_(bytes)
    {
    }

    /// Before CE# falls: the segment that the controller has asked for. Of it count the length of
    /// its burst (0: none), how it is driven, since when it has the bus and, where bytes are real,
    /// the tags of a burst in.
    void announce(const Segment& asked);
    void on_segment(Segment& cycle) override;
    void on_write_protect(bool protect) override { target_.on_write_protect(protect); }
    /// CE# has risen at `now`. Returns the segment of the pins; valid until announce(). With a
    /// burst in, its `data` are those of the pins; with one out, those of the die: bit errors, and
    /// tags of real bytes, have no pins.
    Segment& finish(Picoseconds now);

private:
    void take_in(const Segment& burst);
    void first_strobe(const Segment& strobe);
    void strobe(Segment& strobe);

    u32 ce_;
    const PinReader& reader_;
    TargetIf& target_;
    const PinBytes& bytes_;
    Segment seen_;
    DataCells cells_;
    std::vector<u8> page_; ///< bytes of the burst; empty unless they are real
    std::array<UnitTag, 16> tags_{}; ///< beside a burst in of real bytes
    u32 announced_ = 0;
    u32 column_ = 0;       ///< of the burst's first byte
    u32 given_ = 0;        ///< bytes of a burst out that strobes have fetched
};

} // namespace tlmssd::onfi
