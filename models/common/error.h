// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the two ways a run can fail, and the exit status of each.
#pragma once

#include <stdexcept>
#include <string>

namespace tlmssd {

inline constexpr int kExitDone = 0;
inline constexpr int kExitInput = 2;       ///< the user's input is wrong
inline constexpr int kExitModel = 3;       ///< integrity, checker or firmware found an error
inline constexpr int kExitInterrupted = 130;

/// The user's input is wrong. `what()` is one line: "file:line:column: key: message; did you mean x?"
class InputError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The model found an error in itself or in the device it models.
class ModelError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The one of `choices` (a range of strings) nearest to `word` by edit distance.
template <class Range>
std::string nearest_of(const std::string& word, const Range& choices);

/// Levenshtein distance.
std::size_t edit_distance(const std::string& a, const std::string& b);

template <class Range>
std::string nearest_of(const std::string& word, const Range& choices)
{
    std::string best;
    std::size_t best_distance = static_cast<std::size_t>(-1);
    for (const auto& choice : choices) {
        const std::string text(choice);
        const std::size_t d = edit_distance(word, text);
        if (d < best_distance) {
            best_distance = d;
            best = text;
        }
    }
    return best;
}

} // namespace tlmssd
