// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: making, checking and mapping the file of a device.
#include "models/nand/store/store_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "models/common/error.h"
#include "models/nand/store/store_layout.h"

namespace tlmssd::nand {

namespace {

constexpr u64 kPage = 4096;
constexpr const char* kFirstLine = "tlmssd-device 1";

u64 up(u64 bytes) { return (bytes + kPage - 1) / kPage * kPage; }

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

} // namespace

StoreFile::StoreFile(std::string path, const Geometry& geometry, const Facts& facts) : path_(std::move(path))
{
    const u64 pages = geometry.total_pages();
    const u64 blocks = u64{geometry.total_planes()} * geometry.blocks;
    next_ = kPage;
    erases_ = next_ + up(blocks * sizeof(u16));
    records_ = erases_ + up(blocks * sizeof(u32));
    bytes_ = records_ + up(pages * words_per_page(geometry) * sizeof(u64));
    tables_ = bytes_ + up(pages * geometry.physical_bytes());
    size_ = tables_ + up(most_tables(geometry) * geometry.page_bytes);
    std::string head = std::string(kFirstLine) + '\n';
    for (const auto& [name, value] : facts) {
        head += name + ": " + value + '\n';
    }
    if (head.size() >= kPage) {
        throw ModelError("device file: its head is too long");
    }
    open(head);
    void* const memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (memory == MAP_FAILED) {
        fail("cannot be mapped");
    }
    memory_ = static_cast<u8*>(memory);
}

StoreFile::~StoreFile()
{
    if (memory_ != nullptr) {
        munmap(memory_, size_);
    }
    close(descriptor_);
}

void StoreFile::fail(const char* what) const
{
    const int error = errno;
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
    throw InputError(path_ + ": " + what + ": " + std::strerror(error));
}

void StoreFile::damaged(const std::string& what) const { throw InputError(path_ + ": damaged: " + what); }

void StoreFile::open(const std::string& head)
{
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor_ < 0 && errno == ENOENT) {
        make(head);
    }
    if (descriptor_ < 0) {
        fail("cannot be opened");
    }
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        close(descriptor_);
        throw InputError(path_ + ": in use by another process");
    }
    try {
        check(head);
    } catch (...) {
        close(descriptor_);
        throw;
    }
}

/// Beside its name, which it takes when it is whole.
void StoreFile::make(const std::string& head)
{
    const std::string young = path_ + ".new";
    descriptor_ = ::open(young.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0 || pwrite(descriptor_, head.data(), head.size(), 0) != static_cast<ssize_t>(head.size()) ||
        ftruncate(descriptor_, static_cast<off_t>(size_)) != 0 || rename(young.c_str(), path_.c_str()) != 0) {
        fail("cannot be made");
    }
    fresh_ = true;
}

void StoreFile::check(const std::string& head) const
{
    struct stat facts {};
    char text[kPage] = "";
    const bool read = fstat(descriptor_, &facts) == 0 && S_ISREG(facts.st_mode) &&
                      pread(descriptor_, text, sizeof text - 1, 0) > 0;
    const std::vector<std::string> found = lines_of(text);
    const std::vector<std::string> wanted = lines_of(head);
    if (!read || found.empty() || found[0].rfind("tlmssd-device ", 0) != 0) {
        throw InputError(path_ + ": no device file of tlmssd serve");
    }
    if (found[0] != wanted[0]) {
        throw InputError(path_ + ": of format " + found[0].substr(14) + ", this program knows " +
                         wanted[0].substr(14));
    }
    for (std::size_t i = 1; i < wanted.size(); ++i) {
        if (i >= found.size() || found[i] != wanted[i]) {
            throw InputError(path_ + ": made for " + (i < found.size() ? found[i] : "nothing") +
                             "; the configuration has " + wanted[i]);
        }
    }
    if (static_cast<u64>(facts.st_size) != size_) {
        throw InputError(path_ + ": damaged: it has " + std::to_string(facts.st_size) + " bytes instead of " +
                         std::to_string(size_));
    }
}

} // namespace tlmssd::nand
