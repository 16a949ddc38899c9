// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: loading an ISS back-end from its shared module.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "models/common/error.h"
#include "models/cpu/iss_if.h"

namespace tlmssd::cpu {

namespace {

constexpr const char* kUnicornModule = "libtlmssd_iss_unicorn.so";

std::string find_unicorn()
{
    namespace fs = std::filesystem;
    if (const char* chosen = std::getenv("TLMSSD_ISS_MODULE"); chosen != nullptr && *chosen != 0) {
        return chosen;
    }
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* place : {".", "../lib"}) {
        const fs::path candidate = folder / place / kUnicornModule;
        if (fs::exists(candidate, error)) {
            return candidate.lexically_normal().string();
        }
    }
    throw InputError("cpu.model: iss: " + std::string(kUnicornModule) +
                     " was not built: install libunicorn-dev (scripts/setup --for test) and build "
                     "again, or set TLMSSD_ISS_MODULE, or use cpu.model: native");
}

} // namespace

std::unique_ptr<IssIf> load_iss(const std::string& module)
{
    void* handle = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* reason = dlerror();
        throw InputError(module + ": cannot load the ISS: " + (reason != nullptr ? reason : "unknown"));
    }
    using Create = IssIf* (*)(u32);
    const auto create = reinterpret_cast<Create>(dlsym(handle, "tlmssd_iss_create"));
    if (create == nullptr) {
        dlclose(handle);
        throw InputError(module + ": not an ISS module: no tlmssd_iss_create");
    }
    std::unique_ptr<IssIf> iss(create(kIssModuleVersion));
    if (iss == nullptr) {
        throw InputError(module + ": an ISS module of another version: build it again");
    }
    return iss;
}

std::unique_ptr<IssIf> load_iss_unicorn() { return load_iss(find_unicorn()); }

} // namespace tlmssd::cpu
