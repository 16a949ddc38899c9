// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the page and cache registers of one LUN hold, plane by plane.
#pragma once

#include "models/onfi/bus/violation.h"

namespace tlmssd::onfi {

/// Sets of planes are bit masks. The bus reads the cache registers; the array fills the page
/// registers, which feed the cache registers at once (30h) or at 31h and 3Fh.
class PageRegisters {
public:
    /// Has the cache register that bursts out come from got data?
    bool readable() const { return ((valid_ >> out_plane_) & 1) != 0; }
    u32 loaded() const { return loaded_; }        ///< planes that feed 31h and 3Fh
    bool caching() const { return caching_; }     ///< 31h has run, 3Fh not yet
    u32 read_page() const { return read_page_; }  ///< page offset of loaded(): 31h reads the next one
    bool holds_copy(u32 plane) const { return ((copied_ >> plane) & 1) != 0; }
    bool holds_any_copy() const { return copied_ != 0; }
    const Cycle& copy_by() const { return copy_by_; } ///< last 35h
    const Cycle& cleared() const { return cleared_; } ///< what made the registers invalid
    u32 column() const { return column_; }

    void set_column(u32 column) { column_ = column; }
    void move_column(u32 bytes) { column_ += bytes; }
    void select(u32 plane) { out_plane_ = static_cast<u8>(plane); }
    void set_copy_by(const Cycle& by) { copy_by_ = by; }
    void set_cleared(const Cycle& by) { cleared_ = by; }

    /// The plane's register is overwritten.
    void drop(u32 plane)
    {
        valid_ &= ~(1u << plane);
        copied_ &= ~(1u << plane);
    }
    void drop_all()
    {
        valid_ = loaded_ = copied_ = 0;
        caching_ = false;
    }
    /// All is lost, what a cache read has on its way included.
    void drop_with_loading() { valid_ = loaded_ = loading_ = copied_ = 0; }
    void end_caching()
    {
        loaded_ = 0;
        caching_ = false;
    }
    /// 30h, 35h
    void begin_read(bool copyback)
    {
        end_caching();
        copying_ = copyback;
    }
    /// The planes `good` hold page `page`; `all`: no plane of the read broke a rule.
    void finish_read(u32 good, bool all, u32 page)
    {
        valid_ |= good;
        loaded_ = copying_ || !all ? 0 : good;
        read_page_ = page;
        copied_ |= copying_ ? good : 0;
    }
    /// 31h: the array goes on with page `page` of `planes`.
    void begin_cache_read(u32 planes, u32 page)
    {
        loading_ = planes;
        read_page_ = page;
        caching_ = true;
        column_ = 0;
    }
    /// The pages read before can be put out, the next ones are on the way.
    void finish_cache_read()
    {
        valid_ |= loaded_;
        loaded_ = loading_;
    }
    /// 3Fh
    void begin_cache_end()
    {
        caching_ = false;
        column_ = 0;
    }
    void finish_cache_end()
    {
        valid_ |= loaded_;
        loaded_ = 0;
    }

private:
    u32 valid_ = 0;  ///< planes whose cache register the bus can read
    u32 loaded_ = 0; ///< planes whose page register feeds 31h and 3Fh
    u32 copied_ = 0; ///< planes that hold a page of 35h
    u32 column_ = 0;
    u32 read_page_ = 0;
    u32 loading_ = 0; ///< planes that 31h fetches
    u8 out_plane_ = 0;
    bool caching_ = false;
    bool copying_ = false; ///< the read in progress is a copyback read
    Cycle cleared_;
    Cycle copy_by_;
};

} // namespace tlmssd::onfi
