// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: hfplayer's CSV of NetApp SAN traces; the header line names the columns.
#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

constexpr std::size_t kMostColumns = 64;

/// The columns that are read; ReadState::columns holds the place of each, from 1.
enum Column : u8 { kTime, kCommand, kLun, kLba, kBlocks, kColumns };
constexpr std::string_view kNames[kColumns] = {"ELAPSED_USECS.D", "CMD.S", "LUN_SSID.I", "LBA.I",
                                               "NBLKS.I"};

/// umn-cris/hfplayer: microseconds with three decimals, blocks of 512 B. The commands RD_IN and
/// WR_IN are requests received; other events are ignored. ReadState::phase: number of columns.
class Hfplayer final : public TraceFormat {
public:
    const char* name() const override { return "hfplayer"; }
    const char* fields() const override
    {
        return "a header #...,ELAPSED_USECS.D,...,CMD.S,...,LUN_SSID.I,...,LBA.I,NBLKS.I,..., "
               "then its columns";
    }
    bool claims(const ReadState& state) const override { return state.phase != 0; }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState& state) const override
    {
        if (state.phase == 0) {
            return header(c, problem, state);
        }
        bool request = true;
        for (u64 column = 1; column <= state.phase; ++column) {
            if (column > 1 && !c.comma()) {
                return broken(c, problem, "the line has fewer columns than the header");
            }
            const Cursor start = c;
            std::string_view text;
            c.field(',', text);
            const char* what = take(state, column, text, row, request);
            if (what != nullptr) {
                return broken(start, problem, what);
            }
        }
        if (!c.at_end()) {
            return broken(c, problem, "the line has more columns than the header");
        }
        return request ? LineKind::Row : LineKind::Ignored;
    }

private:
    static LineKind header(Cursor c, Problem& problem, ReadState& state)
    {
        const Cursor start = c;
        std::array<u8, 8> places{};
        u64 column = 0;
        c.literal('#');
        do {
            std::string_view name;
            c.field(',', name);
            ++column;
            for (u8 i = 0; i < kColumns; ++i) {
                if (name == kNames[i] && column <= kMostColumns) {
                    places[i] = static_cast<u8>(column);
                }
            }
        } while (c.comma());
        for (u8 i = 0; i < kColumns; ++i) {
            if (places[i] == 0) {
                return broken(start, problem, "the first line is not hfplayer's header");
            }
        }
        state.columns = places;
        state.phase = column;
        return LineKind::Ignored;
    }

    static bool whole(std::string_view text, u64& value)
    {
        Cursor c(text);
        return c.integer(value) && c.at_end();
    }

    static const char* take(const ReadState& state, u64 column, std::string_view text, Row& row,
                            bool& request)
    {
        const auto is = [&](Column wanted) { return state.columns[wanted] == column; };
        if (is(kTime)) {
            Cursor c(text);
            return c.decimal(row.time, 3) && c.at_end() ? nullptr
                                                        : "the time is not a number of us";
        }
        if (is(kCommand)) {
            row.kind = text == "WR_IN" ? Kind::Write : Kind::Read;
            request = text == "WR_IN" || text == "RD_IN";
            return text.empty() ? "the command is missing" : nullptr;
        }
        if (is(kLun)) {
            return whole(text, row.device) ? nullptr : "the LUN is not a number";
        }
        if (is(kLba)) {
            return whole(text, row.lba) ? nullptr : "the LBA is not a number";
        }
        if (is(kBlocks)) {
            return whole(text, row.sectors) ? nullptr : "the number of blocks is not a number";
        }
        return nullptr;
    }
};

} // namespace

std::unique_ptr<TraceFormat> make_hfplayer() { return std::make_unique<Hfplayer>(); }

} // namespace tlmssd::workload
