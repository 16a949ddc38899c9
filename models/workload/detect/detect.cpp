// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the format of a trace that none was named for.
#include "models/workload/detect/detect.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/workload/detect/file_name.h"
#include "models/workload/detect/plausible.h"
#include "models/workload/formats/formats.h"
#include "models/workload/formats/lenient_hint.h"

namespace tlmssd::workload {
namespace {

Trials accepting(const Sample& sample, bool lenient)
{
    Trials found;
    for (const Trial& trial : sample.trials) {
        if (lenient ? trial.lines > trial.broken : trial.lines > 0 && trial.broken == 0) {
            found.push_back(&trial);
        }
    }
    return found;
}

[[noreturn]] void fail_without_reader(const Sample& sample, const config::Workload& workload)
{
    const Trial* nearest = &sample.trials.front();
    for (const Trial& trial : sample.trials) {
        if (trial.accepted > nearest->accepted || (trial.accepted == nearest->accepted && trial.depth > nearest->depth)) {
            nearest = &trial;
        }
    }
    if (nearest->complaint.empty()) {
        throw InputError(workload.trace + ":1: no reader accepts the trace: it holds no request");
    }
    LineReader again(workload.trace);
    const bool helps = !workload.lenient && lines_ahead(again, *nearest->format, ReadState()).mostly_rows();
    throw InputError(nearest->complaint + " (no reader accepts the trace; nearest is " + nearest->name() + ")" +
                     (helps ? std::string("; ") + kLenientHint : ""));
}

/// Those of `trials` that `names` has.
Trials named(const Trials& trials, const std::vector<std::string>& names)
{
    Trials found;
    std::copy_if(trials.begin(), trials.end(), std::back_inserter(found), [&](const Trial* t) {
        return std::find(names.begin(), names.end(), t->name()) != names.end();
    });
    return found;
}

/// Those with the fewest broken lines.
Trials least_broken(const Trials& trials)
{
    const Trial& best = **std::min_element(trials.begin(), trials.end(),
                                           [](const Trial* a, const Trial* b) { return a->broken < b->broken; });
    Trials found;
    std::copy_if(trials.begin(), trials.end(), std::back_inserter(found),
                 [&](const Trial* t) { return t->broken == best.broken; });
    return found;
}

/// Which of several that accept the lines it is.
class Choice {
public:
    Choice(Trials accepting, std::vector<std::string> names) : all_(std::move(accepting)), left_(all_)
    {
        reasons_ = leave_plausible(left_);
        by_name(names);
        if (left_.size() > 1 && least_broken(left_).size() < left_.size()) {
            left_ = least_broken(left_);
            reasons_.emplace_back("it has the fewest broken lines");
        }
        by_rows();
    }
    const Trials& left() const { return left_; }
    const std::vector<std::string>& reasons() const { return reasons_; }

private:
    /// The name confirms or decides. Where it contradicts what is plausible, both remain.
    void by_name(const std::vector<std::string>& names)
    {
        const Trials wanted = named(all_, names);
        if (wanted.empty()) {
            return;
        }
        Trials both = named(left_, names);
        if (both.empty()) {
            left_.insert(left_.end(), wanted.begin(), wanted.end());
            return;
        }
        if (both.size() < left_.size()) {
            reasons_.push_back("the name of the file says " + names_of(both));
        }
        left_ = std::move(both);
    }
    void by_rows()
    {
        const Trial& first = *left_.front();
        if (left_.size() < 2 ||
            !std::all_of(left_.begin(), left_.end(), [&](const Trial* t) { return same_rows(first, *t); })) {
            return;
        }
        const Trials others(left_.begin() + 1, left_.end());
        reasons_.push_back(names_of(others) + " would read the same requests");
        left_.resize(1);
    }

    Trials all_;
    Trials left_;
    std::vector<std::string> reasons_;
};

std::string joined(const std::vector<std::string>& reasons)
{
    std::string text;
    for (const std::string& reason : reasons) {
        text += (text.empty() ? "" : "; ") + reason;
    }
    return text;
}

/// "its first 1,000 lines", of which some may be broken.
std::string lines_text(const Sample& sample, const Trial& trial)
{
    std::string text = !sample.whole       ? "its first 1,000 lines"
                       : sample.lines == 1 ? "its only line"
                                           : "its " + std::to_string(sample.lines) + " lines";
    return trial.broken == 0 ? text : text + ", " + std::to_string(trial.broken) + " of them broken";
}

} // namespace

Detected detect_format(const config::Workload& workload)
{
    const Sample sample = try_formats(workload);
    const Trials found = accepting(sample, workload.lenient);
    if (found.empty()) {
        fail_without_reader(sample, workload);
    }
    if (found.size() == 1) {
        const Trial& only = *found.front();
        return {only.name(), "the only one that fits " + lines_text(sample, only)};
    }
    const Choice choice(found, formats_in_name(workload.trace));
    if (choice.left().size() > 1) {
        throw InputError(workload.trace + ":1: the format is ambiguous: " + names_of(choice.left()) +
                         " all accept the first lines" +
                         (choice.reasons().empty() ? "" : " (" + joined(choice.reasons()) + ")") +
                         "; name one with --format (workload.format)");
    }
    const Trial& trial = *choice.left().front();
    return {trial.name(),
            "one of " + std::to_string(found.size()) + " that fit " + lines_text(sample, trial) + ": " + joined(choice.reasons())};
}

std::string name_format(config::Workload& workload)
{
    if (!workload.trace_columns.empty()) {
        if (!workload.format.empty() && workload.format != "columns") {
            throw InputError("workload.trace_columns: has no effect because workload.format is " + workload.format);
        }
        workload.format = "columns";
    }
    if (!workload.format.empty()) {
        return "";
    }
    const Detected detected = detect_format(workload);
    workload.format = detected.format;
    return workload.trace + ": format " + detected.format + ": " + detected.why;
}

std::vector<std::string> name_formats(std::vector<config::Workload>& workloads)
{
    std::vector<std::string> notes;
    for (config::Workload& workload : workloads) {
        const std::string note = workload.trace.empty() ? "" : name_format(workload);
        if (!note.empty()) {
            notes.push_back(note);
        }
    }
    return notes;
}

std::unique_ptr<TraceFormat> choose_format(const config::Workload& workload)
{
    config::Workload chosen = workload;
    name_format(chosen);
    return make_format(chosen);
}

} // namespace tlmssd::workload
