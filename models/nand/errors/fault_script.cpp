// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: parser of fault scripts.
#include "models/nand/errors/fault_script.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <sstream>

#include "models/common/error.h"
#include "models/common/file_io.h"

namespace tlmssd::nand {

namespace {

struct Unit {
    const char* name;
    u64 picoseconds;
};
constexpr Unit kUnits[] = {
    {"ns", 1000}, {"us", 1000000}, {"ms", 1000000000}, {"s", 1000000000000}};

struct Action {
    const char* words;
    FaultKind kind;
};
constexpr Action kActions[] = {
    {"stops answering", FaultKind::StopsAnswering},
    {"answers again", FaultKind::AnswersAgain},
    {"fails programs", FaultKind::FailsPrograms},
    {"fails erases", FaultKind::FailsErases},
};
constexpr const char* kGoesBad = "goes bad";
constexpr const char* kForm = "expected: at 12 ms: die 3/1/0 stops answering";

/// Printable and short, for messages.
std::string shown(const std::string& text)
{
    constexpr std::size_t kMost = 40;
    std::string out = text.substr(0, kMost);
    for (char& c : out) {
        c = std::isprint(static_cast<unsigned char>(c)) != 0 ? c : '?';
    }
    return "'" + out + (text.size() > kMost ? "...'" : "'");
}

class LineParser {
public:
    LineParser(std::string where, const std::string& text, const Geometry& geometry)
        : where_(std::move(where)), geometry_(geometry)
    {
        std::istringstream in(text);
        for (std::string word; in >> word;) {
            words_.push_back(word);
        }
    }

    bool empty() const { return words_.empty(); }

    Fault parse()
    {
        Fault fault;
        expect("at");
        fault.at = parse_time();
        expect("die");
        parse_die(fault);
        parse_action(fault);
        return fault;
    }

private:
    [[noreturn]] void fail(const std::string& message) const
    {
        throw InputError(where_ + ": " + message);
    }
    const std::string& next(const char* what)
    {
        if (at_ == words_.size()) {
            fail(std::string("the line ends where ") + what + " is missing; " + kForm);
        }
        return words_[at_++];
    }
    void expect(const char* word)
    {
        const std::string& found = next(word);
        if (found != word) {
            fail(shown(found) + " is not '" + word + "'; " + kForm);
        }
    }
    std::string rest()
    {
        std::string text;
        for (; at_ < words_.size(); ++at_) {
            text += (text.empty() ? "" : " ") + words_[at_];
        }
        return text;
    }

    /// Digits in [from, to) of `word`; at most 15, so that nothing overflows.
    u64 digits(const std::string& word, std::size_t from, std::size_t to) const
    {
        constexpr std::size_t kMost = 15;
        const std::string text = word.substr(from, to - from);
        if (text.empty() || text.size() > kMost ||
            text.find_first_not_of("0123456789") != std::string::npos) {
            fail(shown(word) + " is no number that fits here; " + kForm);
        }
        return std::stoull(text);
    }

    /// "12 ms:", "12ms:" or "1.5 us :", exact to the picosecond.
    Picoseconds parse_time()
    {
        std::string number = next("the time");
        const std::size_t letters = number.find_first_not_of("0123456789.");
        std::string unit;
        if (letters == 0) {
            fail(shown(number) + " is no time; " + kForm);
        }
        if (letters == std::string::npos) {
            unit = next("the unit of the time");
        } else {
            unit = number.substr(letters);
            number.resize(letters);
        }
        if (!unit.empty() && unit.back() == ':') {
            unit.pop_back();
        } else {
            expect(":");
        }
        std::vector<std::string> names;
        for (const Unit& u : kUnits) {
            names.emplace_back(u.name);
            if (unit == u.name) {
                return scaled(number, u.picoseconds);
            }
        }
        fail(shown(unit) + " is no unit of time; did you mean '" + nearest_of(unit, names) +
             "'? (ns, us, ms, s)");
    }

    Picoseconds scaled(const std::string& number, u64 unit) const
    {
        const std::size_t point = number.find('.');
        const std::size_t whole_end = std::min(point, number.size());
        const u64 whole = digits(number, 0, whole_end);
        u64 part = 0;
        if (point != std::string::npos) {
            digits(number, point + 1, number.size());
            u64 weight = unit;
            for (std::size_t i = point + 1; i < number.size(); ++i) {
                const auto digit = static_cast<u64>(number[i] - '0');
                if (weight % 10 != 0 && digit != 0) {
                    fail(shown(number) + " is finer than a picosecond");
                }
                weight /= 10;
                part += digit * weight;
            }
        }
        if (whole >= ~u64{0} / unit) {
            fail(shown(number) + " is later than simulated time can be (213 days)");
        }
        return Picoseconds(whole * unit + part);
    }

    /// Numbers between slashes, each below its limit.
    template <std::size_t N>
    void parse_path(const char* const (&names)[N], const u32 (&limits)[N], u32 (&values)[N])
    {
        std::string what;
        for (const char* name : names) {
            what += (what.empty() ? "" : "/") + std::string(name);
        }
        const std::string word = next(what.c_str());
        std::size_t from = 0;
        for (std::size_t i = 0; i < N; ++i) {
            const std::size_t slash = word.find('/', from);
            const bool last = i + 1 == N;
            if (last != (slash == std::string::npos)) {
                fail(shown(word) + " is not " + what);
            }
            const u64 value = digits(word, from, std::min(slash, word.size()));
            if (value >= limits[i]) {
                fail("there is no " + std::string(names[i]) + " " + std::to_string(value) +
                     " (0 to " + std::to_string(limits[i] - 1) + ")");
            }
            values[i] = static_cast<u32>(value);
            from = slash + 1;
        }
    }

    void parse_die(Fault& fault)
    {
        u32 at[3];
        parse_path({"channel", "way", "die"}, {geometry_.channels, geometry_.ways, geometry_.dies},
                   at);
        fault.die = geometry_.die_index(at[0], at[1], at[2]);
    }

    void parse_action(Fault& fault)
    {
        if (at_ < words_.size() && words_[at_] == "block") {
            ++at_;
            u32 at[2];
            parse_path({"plane", "block"}, {geometry_.planes, geometry_.blocks}, at);
            fault.kind = FaultKind::BlockGoesBad;
            fault.plane = at[0];
            fault.block = at[1];
            const std::string found = rest();
            if (found != kGoesBad) {
                fail(shown(found) + " does not happen to a block; did you mean '" + kGoesBad +
                     "'?");
            }
            return;
        }
        const std::string found = rest();
        std::vector<std::string> choices;
        for (const Action& action : kActions) {
            choices.emplace_back(action.words);
            if (found == action.words) {
                fault.kind = action.kind;
                return;
            }
        }
        choices.emplace_back("block 0/0 goes bad");
        fail(shown(found) + " does not happen to a die; did you mean '" +
             nearest_of(found, choices) + "'?");
    }

    std::string where_;
    Geometry geometry_;
    std::vector<std::string> words_;
    std::size_t at_ = 0;
};

} // namespace

std::vector<Fault> read_fault_script(const std::string& path, const Geometry& geometry)
{
    std::string text;
    if (const int error = read_file(path, text); error != 0) {
        throw InputError(path + ": cannot read: " + std::strerror(error));
    }
    std::vector<Fault> faults;
    u64 number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        begin = end + 1;
        ++number;
        LineParser parser(path + ":" + std::to_string(number), line.substr(0, line.find('#')),
                          geometry);
        if (!parser.empty()) {
            faults.push_back(parser.parse());
        }
    }
    std::stable_sort(faults.begin(), faults.end(),
                     [](const Fault& a, const Fault& b) { return a.at < b.at; });
    return faults;
}

} // namespace tlmssd::nand
