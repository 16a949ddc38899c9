// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: building results.json.
#include "models/observe/results.h"

#include <charconv>
#include <cmath>

#include "models/common/error.h"

namespace tlmssd::observe {

namespace {

std::string text_of_number(double value)
{
    if (!std::isfinite(value)) {
        throw ModelError("results: NaN and infinity have no place in JSON");
    }
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value == 0 ? 0.0 : value);
    std::string text(buffer, end.ptr);
    if (text.find_first_of(".e") == std::string::npos) {
        text += ".0";
    }
    return text;
}

/// `in_list`: the node is an element of an array and stands on one line.
void append(std::string& out, const Json& node, std::size_t indent, bool in_list)
{
    if (node.is_number_float()) {
        out += text_of_number(node.get<double>());
        return;
    }
    if (!node.is_structured() || node.empty()) {
        out += node.dump();
        return;
    }
    bool one_line = in_list || node.is_array();
    for (const Json& child : node) {
        one_line = one_line && (in_list || !child.is_structured());
    }
    const std::string lead = one_line ? " " : "\n" + std::string(indent + 2, ' ');
    out += node.is_array() ? '[' : '{';
    bool first = true;
    for (const auto& item : node.items()) {
        if (!first) {
            out += ',';
        }
        if (!first || !one_line) {
            out += lead;
        }
        first = false;
        if (node.is_object()) {
            out += Json(item.key()).dump() + ": ";
        }
        append(out, item.value(), indent + 2, in_list || node.is_array());
    }
    if (!one_line) {
        out += '\n' + std::string(indent, ' ');
    }
    out += node.is_array() ? ']' : '}';
}

} // namespace

Results::Results() { put("schema", kResultsSchema); }

Json& Results::slot(const std::string& path)
{
    Json* node = &document_;
    std::size_t begin = 0;
    for (;;) {
        const std::size_t dot = path.find('.', begin);
        node = &(*node)[path.substr(begin, dot - begin)];
        if (dot == std::string::npos) {
            return *node;
        }
        begin = dot + 1;
    }
}

double Results::finite(const std::string& path, double value)
{
    if (!std::isfinite(value)) {
        throw ModelError("results: " + path + " is not a finite number");
    }
    return value == 0 ? 0.0 : value;
}

void Results::put_seconds(const std::string& path, Picoseconds time)
{
    put(path, static_cast<double>(time.value()) / 1e12);
}

void Results::put_ratio(const std::string& path, double numerator, double denominator)
{
    if (denominator == 0) {
        put(path, nullptr);
    } else {
        put(path, numerator / denominator);
    }
}

void Results::put_latency_us(const std::string& path, const Histogram& latencies)
{
    // Divided by 1e6, not multiplied by 1e-6: the quotient is the double nearest to the decimal
    // number, so 123456789 ps prints as 123.456789.
    const auto put_one = [&](const char* key, double ps) {
        put_ratio(path + key, ps, latencies.count() == 0 ? 0.0 : 1e6);
    };
    const auto put_quantile = [&](const char* key, double q) {
        put_one(key, static_cast<double>(latencies.quantile(q).value()));
    };
    put_one(".mean", latencies.mean_ps());
    put_quantile(".p50", 0.50);
    put_quantile(".p95", 0.95);
    put_quantile(".p99", 0.99);
    put_quantile(".p999", 0.999);
    put_quantile(".p9999", 0.9999);
    put_one(".max", static_cast<double>(latencies.max().value()));
}

void Results::put_requests(const std::string& path, u64 bytes, double seconds,
                           const Histogram& latency, const Histogram& response)
{
    put(path + ".count", latency.count());
    put(path + ".bytes", bytes);
    put_ratio(path + ".iops", static_cast<double>(latency.count()), seconds);
    put_ratio(path + ".mb_s", static_cast<double>(bytes) / 1e6, seconds);
    put_latency_us(path + ".latency_us", latency);
    put_latency_us(path + ".response_us", response);
}

std::string text_of(const Json& document)
{
    std::string out;
    append(out, document, 0, false);
    out += '\n';
    return out;
}

std::string text_without_wall(const Json& document)
{
    Json copy = document;
    copy.erase("wall");
    return text_of(copy);
}

} // namespace tlmssd::observe
