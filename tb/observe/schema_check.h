// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: checks a document against the part of JSON Schema (2020-12) that tlmssd's schemas use.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex.h>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::tb {

/// Knows: $ref into $defs, const, enum, type, minimum, maximum, pattern, required, properties,
/// additionalProperties: false, items, minItems. `description` and `unit` accept everything. Any other
/// keyword is an error of the schema.
class SchemaCheck {
public:
    using Json = nlohmann::ordered_json;

    explicit SchemaCheck(const Json& schema) : root_(schema) {}

    /// One line for each fault, "path: what"; empty: the document is valid.
    std::vector<std::string> faults(const Json& document) const
    {
        std::vector<std::string> found;
        check(root_, document, "", found);
        return found;
    }

    /// All leaf paths that the schema names: "host.reads.count", "flash.channels[].busy_s".
    std::set<std::string> leaves() const
    {
        std::set<std::string> found;
        collect(root_, "", found);
        return found;
    }

private:
    const Json& resolve(const Json& schema) const
    {
        if (!schema.contains("$ref")) {
            return schema;
        }
        const std::string reference = schema.at("$ref");
        return root_.at(Json::json_pointer(reference.substr(1))); // "#/$defs/x"
    }

    static bool is_of_type(const Json& value, const std::string& type)
    {
        return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
               (type == "string" && value.is_string()) ||
               (type == "boolean" && value.is_boolean()) || (type == "null" && value.is_null()) ||
               (type == "number" && value.is_number()) ||
               (type == "integer" && value.is_number_integer());
    }

    /// POSIX, because GCC 12 warns inside std::regex under sanitizers.
    static bool matches(const std::string& text, const std::string& pattern)
    {
        regex_t compiled;
        if (regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
            throw std::runtime_error("bad pattern in schema: " + pattern);
        }
        const bool found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
        regfree(&compiled);
        return found;
    }

    void check(const Json& unresolved, const Json& value, const std::string& path,
               std::vector<std::string>& found) const
    {
        const Json& schema = resolve(unresolved);
        const auto fault = [&](const std::string& what) { found.push_back(path + ": " + what); };
        for (const auto& [keyword, rule] : schema.items()) {
            if (keyword == "const") {
                if (value != rule) {
                    fault("is not " + rule.dump());
                }
            } else if (keyword == "enum") {
                if (std::find(rule.begin(), rule.end(), value) == rule.end()) {
                    fault(value.dump() + " is not one of " + rule.dump());
                }
            } else if (keyword == "type") {
                bool fits = false;
                for (const Json& type : rule.is_array() ? rule : Json::array({rule})) {
                    fits = fits || is_of_type(value, type);
                }
                if (!fits) {
                    fault("is not of type " + rule.dump());
                }
            } else if (keyword == "minimum") {
                if (value.is_number() && value.get<double>() < rule.get<double>()) {
                    fault("is below " + rule.dump());
                }
            } else if (keyword == "maximum") {
                if (value.is_number() && value.get<double>() > rule.get<double>()) {
                    fault("is above " + rule.dump());
                }
            } else if (keyword == "pattern") {
                if (value.is_string() && !matches(value, rule)) {
                    fault("does not match " + rule.dump());
                }
            } else if (keyword == "minItems") {
                if (value.is_array() && value.size() < rule.get<std::size_t>()) {
                    fault("has too few items");
                }
            } else if (keyword == "required") {
                for (const Json& key : rule) {
                    if (value.is_object() && !value.contains(key.get<std::string>())) {
                        fault("lacks " + key.dump());
                    }
                }
            } else if (keyword == "properties") {
                for (const auto& [key, inner] : rule.items()) {
                    if (value.is_object() && value.contains(key)) {
                        check(inner, value.at(key), path + "." + key, found);
                    }
                }
            } else if (keyword == "additionalProperties") {
                if (rule != false) {
                    throw std::runtime_error("additionalProperties other than false");
                }
                for (const auto& item : value.items()) {
                    if (value.is_object() && !schema.at("properties").contains(item.key())) {
                        fault("has unknown key " + item.key());
                    }
                }
            } else if (keyword == "items") {
                for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
                    check(rule, value[i], path + "[" + std::to_string(i) + "]", found);
                }
            } else if (keyword != "$schema" && keyword != "$id" && keyword != "$defs" &&
                       keyword != "title" && keyword != "description" && keyword != "unit") {
                throw std::runtime_error("schema keyword that this checker does not know: " +
                                         keyword);
            }
        }
    }

    void collect(const Json& unresolved, const std::string& path,
                 std::set<std::string>& found) const
    {
        const Json& schema = resolve(unresolved);
        if (schema.contains("properties")) {
            for (const auto& [key, inner] : schema.at("properties").items()) {
                collect(inner, path.empty() ? key : path + "." + key, found);
            }
        } else if (schema.contains("items")) {
            collect(schema.at("items"), path + "[]", found);
        } else {
            found.insert(path);
        }
    }

    const Json& root_;
};

} // namespace tlmssd::tb
