// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the memory of a guest.
#include "models/guest/guest_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "models/common/error.h"

namespace tlmssd::guest {

GuestMemory::~GuestMemory() { clear(); }

void GuestMemory::clear()
{
    for (const Region& region : regions_) {
        munmap(region.data, region.bytes);
    }
    regions_.clear();
}

void GuestMemory::add(u64 address, u64 bytes, const FileDescriptor& file, u64 offset)
{
    struct stat found {};
    if (fstat(file.get(), &found) != 0 || found.st_size < 0 || offset > static_cast<u64>(found.st_size) ||
        bytes > static_cast<u64>(found.st_size) - offset) { // an access beyond the end would be a signal
        throw ModelError("guest: " + std::to_string(bytes) + " bytes of memory from " + std::to_string(offset) +
                         " are not in their file");
    }
    void* const data =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), static_cast<off_t>(offset));
    if (data == MAP_FAILED) {
        throw ModelError(std::string("guest: its memory cannot be mapped: ") + std::strerror(errno));
    }
    regions_.push_back({address, bytes, static_cast<u8*>(data)});
}

u8* GuestMemory::at(u64 address, u64 bytes) const
{
    for (const Region& region : regions_) {
        if (address >= region.address && bytes <= region.bytes && address - region.address <= region.bytes - bytes) {
            return region.data + (address - region.address);
        }
    }
    return nullptr;
}

} // namespace tlmssd::guest
