// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: from values of statistics to JSON.
#include "models/observe/statistics.h"

#include <cmath>

#include "models/common/error.h"

namespace tlmssd::observe {

const char* to_string(Unit unit)
{
    switch (unit) {
    case Unit::None:
        return "";
    case Unit::Count:
        return "count";
    case Unit::Bytes:
        return "bytes";
    case Unit::Bits:
        return "bits";
    case Unit::Sectors:
        return "sectors";
    case Unit::Cycles:
        return "cycles";
    case Unit::Seconds:
        return "s";
    case Unit::Milliseconds:
        return "ms";
    case Unit::Microseconds:
        return "us";
    case Unit::PerSecond:
        return "1/s";
    case Unit::MegabytesPerSecond:
        return "MB/s";
    case Unit::Mebibytes:
        return "MiB";
    case Unit::Megahertz:
        return "MHz";
    case Unit::Millijoules:
        return "mJ";
    case Unit::Ratio:
        return "ratio";
    case Unit::Fraction:
        return "fraction";
    case Unit::Percent:
        return "%";
    }
    return "";
}

namespace detail {

/// Without a negative zero.
Json json_of(const std::string& path, Unit, double value)
{
    if (!std::isfinite(value)) {
        throw ModelError("results: " + path + " is not a finite number");
    }
    return value == 0 ? 0.0 : value;
}

// Divided, not multiplied by 1e-6: the quotient is the double nearest to the decimal number, so
// 123456789 ps prints as 123.456789 us.
Json json_of(const std::string& path, Unit unit, Picoseconds value)
{
    const double ps = static_cast<double>(value.value());
    switch (unit) {
    case Unit::Seconds:
        return ps / 1e12;
    case Unit::Milliseconds:
        return ps / 1e9;
    case Unit::Microseconds:
        return ps / 1e6;
    default:
        throw ModelError("results: " + path + " is a time, but its unit is none of s, ms, us");
    }
}

Json& place_of(Json& object, const std::string& key)
{
    Json* node = &object;
    for (std::size_t begin = 0;;) {
        const std::size_t dot = key.find('.', begin);
        node = &(*node)[key.substr(begin, dot - begin)];
        if (dot == std::string::npos) {
            return *node;
        }
        begin = dot + 1;
    }
}

} // namespace detail

} // namespace tlmssd::observe
