// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: loading an ISS back-end from its shared module.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>

#include "models/common/error.h"
#include "models/cpu/iss/iss_if.h"

namespace tlmssd::cpu {

namespace {

constexpr const char* kUnicornModule = "libtlmssd_iss_unicorn.so";
constexpr const char* kImage = "tlmssd_fw_rv32.elf";
constexpr const char* kX32Image = "tlmssd_fw_x32.elf";

constexpr std::initializer_list<const char*> kImageFolders = {".", "../firmware", "../lib/tlmssd"};

/// In one of these folders, relative to the program's; "" if in none.
std::string find_near_program(std::initializer_list<const char*> folders, const char* name)
{
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* folder : folders) {
        const fs::path candidate = program / folder / name;
        if (fs::exists(candidate, error)) {
            return candidate.lexically_normal().string();
        }
    }
    return "";
}

std::string find_unicorn()
{
    if (const char* chosen = std::getenv("TLMSSD_ISS_MODULE"); chosen != nullptr && *chosen != 0) {
        return chosen;
    }
    if (const std::string found = find_near_program({".", "../lib"}, kUnicornModule);
        !found.empty()) {
        return found;
    }
    throw InputError("cpu.model: iss: " + std::string(kUnicornModule) +
                     " was not built: install libunicorn-dev (scripts/setup --for test) and build "
                     "again, or set TLMSSD_ISS_MODULE, or use cpu.model: native");
}

} // namespace

std::string find_rv32_image()
{
    const std::string found = find_near_program(kImageFolders, kImage);
    if (found.empty()) {
        throw InputError("cpu.model: iss: " + std::string(kImage) +
                         " was not built: install gcc-riscv64-unknown-elf (scripts/setup --for test) "
                         "and build again, or set cpu.firmware, or use cpu.model: native");
    }
    return found;
}

std::string find_x32_image() { return find_near_program(kImageFolders, kX32Image); }

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
