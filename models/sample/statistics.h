// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: sample.json as one table.
#pragma once

#include <string>

#include "models/config/config.h"
#include "models/observe/catalogue.h"
#include "models/sample/sampling.h"

namespace tlmssd::sample {

inline constexpr const char* kSampleSchema = "tlmssd-sample-1";

/// All that sample.json is made from.
struct SampleReading {
    const config::Config& config;
    const SampleOptions& options;
    const SampleResult& result;
};

const observe::Table<SampleReading>& sample_statistics();
/// For its schema and its reference.
observe::Document sample_document();

/// The most important results, on one screen.
std::string table(const observe::Json& document);

} // namespace tlmssd::sample
