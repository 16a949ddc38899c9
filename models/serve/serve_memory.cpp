// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the shared memory of `tlmssd serve`.
#include "models/serve/serve_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "models/common/error.h"

namespace tlmssd::serve {

namespace {

constexpr u64 kPage = 4096;

u64 up(u64 bytes) { return (bytes + kPage - 1) / kPage * kPage; }

} // namespace

ServeMemory::ServeMemory(u64 sectors, u32 page_sectors)
{
    const u64 data = up(sizeof(serve_ring));
    const u64 map = data + u64{SERVE_SLOTS} * SERVE_SLOT_BYTES;
    bytes_ = map + up((sectors / page_sectors / 64 + 1) * sizeof(u64));
    descriptor_ = memfd_create("tlmssd-serve", 0); // nbdkit inherits it
    void* memory = MAP_FAILED;
    if (descriptor_ >= 0 && ftruncate(descriptor_, static_cast<off_t>(bytes_)) == 0) {
        memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    }
    if (memory == MAP_FAILED) {
        throw ModelError(std::string("serve: no shared memory: ") + std::strerror(errno));
    }
    ring_ = static_cast<serve_ring*>(memory);
    ring_->magic = SERVE_MAGIC;
    ring_->version = SERVE_VERSION;
    ring_->sectors = sectors;
    ring_->page_sectors = page_sectors;
    ring_->data_offset = data;
    ring_->map_offset = map;
    ring_->bytes = bytes_;
}

ServeMemory::~ServeMemory()
{
    munmap(ring_, bytes_);
    close(descriptor_);
}

void ServeMemory::mark(u64 first, u64 end, bool data)
{
    u64* const map = serve_map(ring_);
    while (first < end) {
        const u64 bit = first % 64;
        const u64 count = std::min<u64>(64 - bit, end - first);
        const u64 mask = (count == 64 ? ~u64{0} : (u64{1} << count) - 1) << bit;
        const u64 old = map[first / 64]; // the only writer
        if (const u64 now = data ? old | mask : old & ~mask; now != old) {
            __atomic_store_n(&map[first / 64], now, __ATOMIC_RELEASE);
        }
        first += count;
    }
}

} // namespace tlmssd::serve
