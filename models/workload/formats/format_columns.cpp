// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: any delimited text, by the description in workload.trace_columns.
#include "models/workload/formats/formats.h"

#include "models/common/error.h"
#include "models/workload/formats/trace_columns.h"

namespace tlmssd::workload {
namespace {

using Role = TraceColumn::Role;

constexpr char kBlanks = ' ';
constexpr char kDelimiters[] = {',', ';', '\t', kBlanks}; ///< tried in this order

struct Fields {
    std::array<std::string_view, TraceColumns::kMost> text;
    std::size_t count = 0; ///< beyond kMost they are counted, not kept

    void add(std::string_view field)
    {
        const std::size_t first = field.find_first_not_of(" \t");
        field = first == std::string_view::npos
                    ? field.substr(field.size())
                    : field.substr(first, field.find_last_not_of(" \t") - first + 1);
        if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
            field = field.substr(1, field.size() - 2);
        }
        if (count < text.size()) {
            text[count] = field;
        }
        ++count;
    }
};

Fields split(Cursor c, char delimiter)
{
    Fields fields;
    if (delimiter == kBlanks) {
        std::string_view word;
        for (c.skip_blanks(); c.word(word); c.skip_blanks()) {
            fields.add(word);
        }
        return fields;
    }
    do {
        std::string_view field = c.rest().substr(0, 0);
        c.field(delimiter, field);
        fields.add(field);
    } while (c.literal(delimiter));
    return fields;
}

bool same_word(std::string_view text, std::string_view lower_case)
{
    if (text.size() != lower_case.size()) {
        return false;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower_case[i]) {
            return false;
        }
    }
    return true;
}

std::string shown(const std::string& description)
{
    constexpr std::size_t kShown = 200;
    return description.size() <= kShown ? description : description.substr(0, kShown) + "...";
}

/// ReadState::phase is the delimiter, once it is known.
class Columns final : public TraceFormat {
public:
    explicit Columns(const std::string& description)
        : spec_(TraceColumns::parse(description)), fields_("the columns " + shown(description))
    {
        const std::string columns = std::to_string(spec_.columns.size()) + " columns";
        too_few_ = "fewer than the " + columns + " of workload.trace_columns";
        too_many_ = "more than the " + columns +
                    " of workload.trace_columns; end them with ... if that is right";
        undivided_ = "neither commas, semicolons, tabs nor blanks divide the line into the " +
                     columns + " of workload.trace_columns";
        for (std::size_t i = 0; i < spec_.columns.size(); ++i) {
            place_[static_cast<std::size_t>(spec_.columns[i].role)] = i + 1;
        }
    }

    const char* name() const override { return "columns"; }
    const char* fields() const override { return fields_.c_str(); }
    u64 tick_ps() const override { return spec_.tick_ps; }

protected:
    LineKind parse(Cursor c, Row& row, Problem& problem, ReadState& state) const override
    {
        c.skip_blanks();
        if (state.line <= spec_.skip || (spec_.comment != 0 && c.at(spec_.comment))) {
            return LineKind::Ignored;
        }
        Fields fields;
        char delimiter = spec_.delimiter != 0 ? spec_.delimiter : static_cast<char>(state.phase);
        if (delimiter != 0) {
            fields = split(c, delimiter);
        } else {
            for (const char candidate : kDelimiters) {
                fields = split(c, candidate);
                if (fits(fields)) {
                    delimiter = candidate;
                    break;
                }
            }
        }
        if (!fits(fields)) {
            return broken(c, problem,
                          delimiter == 0                          ? undivided_.c_str()
                          : fields.count < spec_.columns.size() ? too_few_.c_str()
                                                                  : too_many_.c_str());
        }
        const LineKind kind = request(c, fields, row, problem);
        if (kind != LineKind::Broken) { // a broken line settles nothing
            state.phase = static_cast<u64>(delimiter);
        }
        return kind;
    }

private:
    bool fits(const Fields& fields) const
    {
        return fields.count == spec_.columns.size() ||
               (spec_.more && fields.count > spec_.columns.size());
    }
    /// The column of a role; null when there is none.
    const TraceColumn* column(Role role) const
    {
        const std::size_t at = place_[static_cast<std::size_t>(role)];
        return at == 0 ? nullptr : &spec_.columns[at - 1];
    }
    std::string_view field(const Fields& fields, Role role) const
    {
        return fields.text[place_[static_cast<std::size_t>(role)] - 1];
    }

    LineKind request(const Cursor& line, const Fields& fields, Row& row, Problem& problem) const
    {
        const auto refuse = [&](Role role) {
            problem = {column(role)->complaint.c_str(), field(fields, role).data()};
            return LineKind::Broken;
        };
        if (column(Role::Time) != nullptr) {
            Cursor c(field(fields, Role::Time));
            if (!c.decimal(row.time, spec_.digits) || !c.at_end()) {
                return refuse(Role::Time);
            }
        }
        if (column(Role::Device) != nullptr) {
            const std::string_view device = field(fields, Role::Device);
            if (device.empty()) {
                return refuse(Role::Device);
            }
            row.device = device_number(device);
        }
        row.kind = spec_.fixed_kind.value_or(Kind::Read);
        if (column(Role::Op) != nullptr) {
            switch (operation(field(fields, Role::Op), row.kind)) {
            case Meaning::Unknown:
                return refuse(Role::Op);
            case Meaning::Ignore:
                return left_out(line, problem, "the operation is one to ignore");
            case Meaning::Known:
                break;
            }
        }
        if (row.kind == Kind::Flush) { // its address, if any, says nothing
            return LineKind::Row;
        }
        u64 offset = 0;
        u64 bytes = spec_.fixed_bytes;
        if (!in_bytes(field(fields, Role::Lba), *column(Role::Lba), offset)) {
            return refuse(Role::Lba);
        }
        if (column(Role::Size) != nullptr &&
            !in_bytes(field(fields, Role::Size), *column(Role::Size), bytes)) {
            return refuse(Role::Size);
        }
        take_bytes(row, offset, bytes);
        return LineKind::Row;
    }

    static bool in_bytes(std::string_view text, const TraceColumn& column, u64& bytes)
    {
        Cursor c(text);
        if (column.base == 16 && !c.text("0x")) {
            c.text("0X");
        }
        u64 number = 0;
        if (!c.integer(number, column.base) || !c.at_end() || number > ~u64{0} / column.unit) {
            return false;
        }
        bytes = number * column.unit;
        return true;
    }

    enum class Meaning : u8 { Unknown, Ignore, Known };
    Meaning operation(std::string_view text, Kind& kind) const
    {
        if (spec_.operations.empty()) {
            return known_word(text, kind) ? Meaning::Known : Meaning::Unknown;
        }
        for (const auto& [value, meaning] : spec_.operations) {
            if (same_word(text, value)) {
                kind = meaning.value_or(kind);
                return meaning ? Meaning::Known : Meaning::Ignore;
            }
        }
        return Meaning::Unknown;
    }

    static bool known_word(std::string_view text, Kind& kind)
    {
        for (const KnownWord& known : kKnownWords) {
            if (same_word(text, known.word)) {
                kind = known.kind;
                return true;
            }
        }
        return false;
    }

    TraceColumns spec_;
    std::array<std::size_t, 6> place_{}; ///< of each role, from 1; 0: none
    std::string fields_;
    std::string too_few_;
    std::string too_many_;
    std::string undivided_;
};

} // namespace

std::unique_ptr<TraceFormat> make_columns(const std::string& description)
{
    if (description.empty()) {
        throw InputError("workload.format: columns needs workload.trace_columns (--trace-columns), "
                         "which says what they hold");
    }
    return std::make_unique<Columns>(description);
}

} // namespace tlmssd::workload
