// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: YAML to JSON for the configuration's echo.
#include "models/run/config_json.h"

#include <yaml-cpp/yaml.h>

namespace tlmssd::run {

namespace {

observe::Json convert(const YAML::Node& node)
{
    if (node.IsMap()) {
        observe::Json object = observe::Json::object();
        for (const auto& entry : node) {
            object[entry.first.as<std::string>()] = convert(entry.second);
        }
        return object;
    }
    if (node.IsSequence()) {
        observe::Json array = observe::Json::array();
        for (const auto& entry : node) {
            array.push_back(convert(entry));
        }
        return array;
    }
    if (node.Tag() != "!") { // "!": quoted, a string whatever it looks like
        u64 integer;
        double number;
        bool flag;
        if (YAML::convert<u64>::decode(node, integer)) {
            return integer;
        }
        if (YAML::convert<double>::decode(node, number)) {
            return number;
        }
        if (YAML::convert<bool>::decode(node, flag)) {
            return flag;
        }
    }
    return node.IsNull() ? observe::Json() : observe::Json(node.as<std::string>());
}

} // namespace

observe::Json config_json(const config::Config& config)
{
    return convert(YAML::Load(config::to_yaml(config)));
}

} // namespace tlmssd::run
