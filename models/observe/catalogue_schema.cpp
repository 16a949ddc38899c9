// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: JSON Schema of a document, from its tree of keys.
#include "models/common/error.h"
#include "models/observe/catalogue.h"

namespace tlmssd::observe {

namespace {

/// `text` with each link `[words](target)` as its words.
std::string without_links(const std::string& text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t middle = text[at] == '[' ? text.find("](", at) : std::string::npos;
        const std::size_t end = middle == std::string::npos ? middle : text.find(')', middle);
        if (end == std::string::npos) {
            out += text[at++];
        } else {
            out += text.substr(at + 1, middle - at - 1);
            at = end + 1;
        }
    }
    return out;
}

const char* type_of(Form form)
{
    switch (form) {
    case Form::Integer:
        return "integer";
    case Form::Number:
        return "number";
    case Form::Flag:
        return "boolean";
    case Form::Text:
        return "string";
    case Form::Map:
    case Form::Object:
        return "object";
    case Form::List:
    case Form::Objects:
        return "array";
    }
    return "";
}

Json type_of(Form form, bool nullable)
{
    return nullable ? Json{type_of(form), "null"} : Json(type_of(form));
}

void put_range(Json& schema, const StatisticInfo& info, Form form)
{
    if (form == Form::Integer || form == Form::Number) {
        schema["minimum"] = 0;
        if (info.most) {
            schema["maximum"] = *info.most;
        } else if (info.unit == Unit::Fraction) {
            schema["maximum"] = 1;
        } else if (info.unit == Unit::Percent) {
            schema["maximum"] = 100;
        }
    }
}

class Schema {
public:
    Json of_object(const KeyNode& node, bool nullable)
    {
        Json schema;
        schema["type"] = type_of(Form::Object, nullable);
        schema["additionalProperties"] = false;
        Json& required = schema["required"] = Json::array();
        Json& properties = schema["properties"] = Json::object();
        for (const auto& key : node.keys) {
            if (node.always_has(*key)) {
                required.push_back(key->name);
            }
            Json& property = properties[key->name] = Json::object();
            const std::string only = node.always_has(*key) ? "" : "only " + key->only;
            const std::string text = without_links(key->info.text);
            const std::string both = text + (text.empty() || only.empty() ? "" : "; ") + only;
            if (!both.empty()) {
                property["description"] = both;
            }
            property.update(of(*key));
        }
        return schema;
    }
    const Json& definitions() const { return definitions_; }

private:
    Json of(const KeyNode& node)
    {
        const StatisticInfo& info = node.info;
        Json schema = Json::object();
        if (node.is_object()) {
            Json object;
            if (node.table.empty()) {
                object = of_object(node, info.nullable);
            } else {
                define(node);
                object["$ref"] = "#/$defs/" + node.table;
            }
            if (info.form == Form::Object) {
                return object;
            }
            schema["type"] = "array";
            if (info.never_empty) {
                schema["minItems"] = 1;
            }
            schema["items"] = object;
            return schema;
        }
        if (info.unit != Unit::None) {
            schema["unit"] = to_string(info.unit);
        }
        if (info.form == Form::List) {
            schema["type"] = "array";
            if (info.never_empty) {
                schema["minItems"] = 1;
            }
            schema["items"]["type"] = type_of(info.element, info.nullable);
            put_range(schema["items"], info, info.element);
            return schema;
        }
        if (info.words.size() == 1) {
            schema["const"] = info.words.front();
            return schema;
        }
        if (!info.words.empty()) {
            schema["enum"] = info.words;
            return schema;
        }
        schema["type"] = type_of(info.form, info.nullable);
        if (!info.pattern.empty()) {
            schema["pattern"] = info.pattern;
        }
        put_range(schema, info, info.form);
        return schema;
    }

    /// The keys of a table that stands in several places.
    void define(const KeyNode& node)
    {
        if (node.info.nullable) {
            throw ModelError("statistics: " + node.name + " may be null, so its table has no name");
        }
        if (!definitions_.contains(node.table)) {
            definitions_[node.table] = Json::object(); // its place in the order
            const Json object = of_object(node, false);
            definitions_[node.table] = object;
        }
    }

    Json definitions_ = Json::object();
};

bool is_plain(const Json& value)
{
    if (value.is_array()) {
        for (const Json& element : value) {
            if (element.is_structured()) {
                return false;
            }
        }
        return true;
    }
    return !value.is_structured();
}

/// On one line; lists wrap before column 110.
std::string list_of(const Json& list, std::size_t indent, std::size_t column)
{
    std::string out = "[";
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string one = list[i].dump() + (i + 1 < list.size() ? "," : "]");
        if (i != 0) {
            const bool wraps = column + out.size() - out.rfind('\n') - 1 + one.size() > 110;
            out += wraps ? "\n" + std::string(indent + 2, ' ') : " ";
            column = wraps ? 0 : column;
        }
        out += one;
    }
    return list.empty() ? "[]" : out;
}

/// Two blanks a level; an object of plain values on one line.
void append(std::string& out, const Json& object, std::size_t indent)
{
    bool one_line = true;
    for (const Json& value : object) {
        one_line = one_line && is_plain(value);
    }
    const std::string lead = one_line ? "" : "\n" + std::string(indent + 2, ' ');
    out += '{';
    bool first = true;
    for (const auto& [name, value] : object.items()) {
        out += first ? "" : one_line ? ", " : ",";
        first = false;
        out += lead + Json(name).dump() + ": ";
        if (value.is_object()) {
            append(out, value, indent + 2);
        } else if (value.is_array()) {
            out += one_line ? value.dump() : list_of(value, indent + 2, out.size() - out.rfind('\n') - 1);
        } else {
            out += value.dump();
        }
    }
    out += one_line ? "}" : "\n" + std::string(indent, ' ') + "}";
}

} // namespace

std::string schema_of(const Document& document)
{
    Json schema;
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
    schema["$id"] = document.id;
    schema["title"] = document.title;
    schema["description"] = document.description;
    Schema maker;
    schema.update(maker.of_object(key_tree(document.table), false));
    schema["$defs"] = maker.definitions();
    std::string out;
    append(out, schema, 0);
    return out + '\n';
}

} // namespace tlmssd::observe
