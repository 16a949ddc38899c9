// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: builder and text form of results.json (docs/reference/results.md, docs/reference/results.schema.json).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/observe/histogram.h"
#include "models/observe/statistics.h"

namespace tlmssd::observe {

inline constexpr const char* kResultsSchema = "tlmssd-results-1";

/// Builds a document whose keys stand in the order in which they were first put.
/// A path is dot-separated: "host.reads.count"; missing objects on the way are made.
class Results {
public:
    /// The document starts with `schema`.
    Results();

    template <class T>
    void put(const std::string& path, const T& value)
    {
        if constexpr (std::is_floating_point_v<T>) {
            slot(path) = detail::json_of(path, Unit::None, static_cast<double>(value));
        } else {
            slot(path) = value;
        }
    }
    /// In seconds, as the double nearest to the exact decimal number.
    void put_seconds(const std::string& path, Picoseconds time)
    {
        slot(path) = detail::json_of(path, Unit::Seconds, time);
    }
    /// numerator / denominator; null where the denominator is 0 and nothing is defined.
    void put_ratio(const std::string& path, double numerator, double denominator);
    /// {mean,p50,p95,p99,p999,p9999,max} in microseconds; all null if nothing was recorded.
    void put_latency_us(const std::string& path, const Histogram& latencies);
    /// {count,bytes,iops,mb_s,latency_us,response_us} of one kind of request over `seconds` of
    /// simulated time. `count` is latency.count().
    void put_requests(const std::string& path, u64 bytes, double seconds, const Histogram& latency,
                      const Histogram& response);

    const Json& json() const { return document_; }

private:
    Json& slot(const std::string& path) { return detail::place_of(document_, path); }

    Json document_;
};

/// The text of a document: two blanks a level, arrays of plain values and each element of an array
/// on one line, newline at the end. Integers as integers; other numbers with the fewest digits that read back as the same
/// double, always with a point or exponent, never -0. Throws ModelError on NaN or infinity.
std::string text_of(const Json& document);

/// text_of() of results with their checksum in `wall.crc32`: calculated with `00000000` as its value.
std::string checked_text_of(const Json& document);

/// text_of() without the section `wall`: equal for equal runs, whatever the machine.
std::string text_without_wall(const Json& document);

/// The most important results, on one screen (at most 100 columns).
std::string table(const Json& document);

} // namespace tlmssd::observe
