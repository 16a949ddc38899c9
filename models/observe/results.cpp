// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: building results.json.
#include "models/observe/results.h"

#include <charconv>
#include <cmath>

#include "models/common/crc32.h"
#include "models/common/error.h"
#include "models/observe/own_statistics.h"

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

void Results::put_ratio(const std::string& path, double numerator, double denominator)
{
    slot(path) = detail::json_of(path, Unit::Ratio, ratio(numerator, denominator));
}

void Results::put_latency_us(const std::string& path, const Histogram& latencies)
{
    latency_statistics().put(slot(path), path, latencies);
}

void Results::put_requests(const std::string& path, u64 bytes, double seconds,
                           const Histogram& latency, const Histogram& response)
{
    traffic_statistics().put(slot(path), path, Traffic{bytes, seconds, latency, response});
}

std::string text_of(const Json& document)
{
    std::string out;
    append(out, document, 0, false);
    out += '\n';
    return out;
}

std::string checked_text_of(const Json& document)
{
    Json copy = document;
    copy["wall"]["crc32"] = hex_of(0);
    std::string text = text_of(copy);
    const std::string before = "\"crc32\": \"";
    const std::size_t at = text.find(before, text.find("\"wall\": {")) + before.size();
    Crc32 crc;
    crc.add(text);
    return text.replace(at, 8, hex_of(crc.value()));
}

std::string text_without_wall(const Json& document)
{
    Json copy = document;
    copy.erase("wall");
    return text_of(copy);
}

} // namespace tlmssd::observe
