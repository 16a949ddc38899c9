// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: strong index types, so that a page is never mistaken for a block.
#pragma once

#include <cstdint>

namespace tlmssd {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// An index of one kind; converts to nothing by itself. `value()` is the raw number.
template <class Kind>
class Index {
public:
    constexpr Index() = default;
    constexpr explicit Index(u32 v) : v_(v) {}
    constexpr u32 value() const { return v_; }
    friend constexpr bool operator==(Index a, Index b) { return a.v_ == b.v_; }
    friend constexpr bool operator!=(Index a, Index b) { return a.v_ != b.v_; }
    friend constexpr bool operator<(Index a, Index b) { return a.v_ < b.v_; }

private:
    u32 v_ = 0;
};

using ChannelId = Index<struct ChannelKind>; ///< bus, 0-based
using CeId = Index<struct CeKind>;           ///< chip enable on its channel, 0-based ("chip")
using LunId = Index<struct LunKind>;         ///< LUN (die) on its chip enable, 0-based
using DieId = Index<struct DieKind>;         ///< die counted over the whole device, see Geometry
using PlaneId = Index<struct PlaneKind>;     ///< plane in its die
using BlockId = Index<struct BlockKind>;     ///< block in its plane
using PageId = Index<struct PageKind>;       ///< page in its block

} // namespace tlmssd
