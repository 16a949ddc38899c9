// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: JSON Schema (draft 2020-12) of a configuration file, from the key table.
#include <nlohmann/json.hpp>

#include "models/config/keys/keys.h"
#include "models/config/keys/renamed.h"
#include "models/config/keys/value.h"
#include "models/config/text/origin.h"

namespace tlmssd::config {
namespace {

using Json = nlohmann::ordered_json;

Json number_of(const std::string& text) { return Json::parse(text); }

Json default_of(const Key& key)
{
    if (!key.zero_word.empty() && key.fallback == key.zero_word) {
        return key.fallback;
    }
    switch (key.type) {
    case Type::Choice:
        return key.numeric_choices ? number_of(key.fallback) : Json(key.fallback);
    case Type::Text:
    case Type::File:
        return key.fallback;
    default:
        return number_of(key.fallback); // integers, reals and true/false are JSON as they stand
    }
}

/// A number as `property` describes it, or `word`.
void or_word(Json& property, const std::string& word)
{
    Json choices = Json::array();
    if (property.contains("oneOf")) {
        choices = property["oneOf"];
    } else {
        Json number;
        for (const auto& [name, rule] : property.items()) {
            if (name != "description") {
                number[name] = rule;
            }
        }
        choices.push_back(number);
    }
    choices.push_back({{"const", word}});
    property = {{"description", property["description"]}, {"oneOf", choices}};
}

Json property_of(const Key& key)
{
    Json p;
    p["description"] = key.help;
    switch (key.type) {
    case Type::Choice:
        if (!key.built_choices.empty()) {
            p["type"] = "string";
            break;
        }
        for (const std::string& choice : key.choices) {
            p["enum"].push_back(key.numeric_choices ? number_of(choice) : Json(choice));
        }
        break;
    case Type::Integer:
        p["type"] = "integer";
        p["minimum"] = key.least;
        p["maximum"] = key.most;
        break;
    case Type::Size:
        p["oneOf"] = {{{"type", "integer"}, {"minimum", key.least}, {"maximum", key.most}},
                      {{"type", "string"}, {"pattern", "^[0-9]+[kKmMgG]$"}}};
        break;
    case Type::Real:
        p["type"] = "number";
        p[key.above_least ? "exclusiveMinimum" : "minimum"] = key.real_least;
        p["maximum"] = key.real_most;
        break;
    case Type::Bool:
        p["type"] = "boolean";
        break;
    case Type::Text:
    case Type::File:
        p["type"] = key.check ? Json{"string", "number"} : Json("string");
        break;
    }
    if (!key.zero_word.empty()) {
        or_word(p, key.zero_word);
    }
    if (key.derived.empty()) {
        p["default"] = default_of(key);
    }
    return p;
}

Json map_of(const std::string& section)
{
    Json map;
    map["type"] = section.empty() ? Json("object") : Json{"object", "null"};
    map["additionalProperties"] = false;
    Json& properties = map["properties"] = Json::object();
    for (const std::string& name : names_in(section)) {
        const std::string path = section.empty() ? name : section + "." + name;
        if (const Key* key = find_key(path)) {
            properties[name] = property_of(*key);
        } else if (const Section* inner = find_section(path)) {
            Json& property = properties[name];
            property["description"] = inner->help;
            if (inner->reference == Section::Reference::JobList) {
                property["type"] = "array";
                property["items"]["oneOf"] = {{{"type", "string"}, {"minLength", 1}},
                                              {{"$ref", "#/$defs/job"}}};
            } else if (inner->reference == Section::Reference::FioFile) {
                property["type"] = "string";
                property["minLength"] = 1;
            } else if (inner->reference != Section::Reference::None) {
                property["oneOf"] = {{{"type", "string"}, {"minLength", 1}},
                                     {{"$ref", "#/$defs/" + path}}};
            } else {
                property.update(map_of(path));
            }
        } else { // include
            properties[name] = {
                {"description", "files that take effect before this one, relative to its folder"},
                {"oneOf",
                 {{{"type", "string"}, {"minLength", 1}},
                  {{"type", "array"}, {"items", {{"type", "string"}, {"minLength", 1}}}}}}};
        }
    }
    return map;
}

/// An entry of workload.jobs.
Json job_map()
{
    Json map;
    map["type"] = "object";
    map["additionalProperties"] = false;
    map["properties"]["workload"] = {{"description", "name of a preset or path of a file"},
                                     {"type", "string"},
                                     {"minLength", 1}};
    for (const Key& key : keys()) {
        if (is_job_key(key)) {
            map["properties"][key.name()] = property_of(key);
        }
    }
    return map;
}

} // namespace

std::string json_schema()
{
    Json schema;
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
    schema["title"] = "tlmssd configuration";
    schema["$comment"] = "generated by tlmssd-keys; do not edit";
    for (const Renamed& key : renamed_keys()) {
        schema["x-renamed"][key.from] = key.to; // read by scripts/tlmssd_lab
    }
    schema.update(map_of(""));
    for (const Section& section : sections()) {
        if (section.reference == Section::Reference::JobList) {
            schema["$defs"]["job"] = job_map();
        } else if (section.reference == Section::Reference::Path ||
                   section.reference == Section::Reference::Preset) {
            schema["$defs"][section.path] = map_of(section.path);
        }
    }
    return schema.dump(2) + "\n";
}

} // namespace tlmssd::config
