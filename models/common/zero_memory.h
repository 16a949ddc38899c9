// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a big zero-filled array whose pages cost memory only once touched.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <type_traits>

#include "models/common/types.h"

namespace tlmssd {

/// The pages that back the memory once it is touched. Small: a touched byte costs 4 KiB, not 2 MiB.
enum class BackedBy : u8 { HugePages, SmallPages };

/// `size` zero elements of a trivial type, 2 MiB-aligned, on huge pages where the system has them.
/// Throws std::bad_alloc when the address space is refused.
template <class T>
class ZeroMemory {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    explicit ZeroMemory(u64 size, BackedBy pages = BackedBy::HugePages) : size_(size)
    {
        mapped_ = size * sizeof(T) + kHugePage;
        base_ = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base_ == MAP_FAILED) {
            throw std::bad_alloc();
        }
        const auto address = reinterpret_cast<std::uintptr_t>(base_);
        const std::uintptr_t aligned = (address + kHugePage - 1) & ~(kHugePage - 1);
        data_ = reinterpret_cast<T*>(aligned);
        // a hint: failure costs speed or memory only
        ::madvise(data_, size * sizeof(T),
                  pages == BackedBy::HugePages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    }
    /// Memory of another owner that outlives it, such as a mapped file.
    ZeroMemory(u64 size, T* memory) : data_(memory), size_(size) {}
    ~ZeroMemory()
    {
        if (base_ != nullptr) {
            ::munmap(base_, mapped_);
        }
    }
    ZeroMemory(const ZeroMemory&) = delete;
    ZeroMemory& operator=(const ZeroMemory&) = delete;

    T& operator[](u64 i) { return data_[i]; }
    const T& operator[](u64 i) const { return data_[i]; }
    u64 size() const { return size_; }
    /// Have the memory of [first, first + count) ready at once, which is cheaper than a fault for each
    /// 4 KiB of it when they are first touched. A hint without effect on what is read; none in a file.
    void populate(u64 first, u64 count)
    {
#ifdef MADV_POPULATE_WRITE
        const auto begin = reinterpret_cast<std::uintptr_t>(data_ + first);
        const auto end = reinterpret_cast<std::uintptr_t>(data_ + first + count);
        if (base_ != nullptr) {
            const std::uintptr_t from = begin & ~(kPage - 1);
            ::madvise(reinterpret_cast<void*>(from), end - from, MADV_POPULATE_WRITE);
        }
#endif
    }

private:
    static constexpr std::uintptr_t kPage = 4096;
    static constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
    void* base_ = nullptr;
    u64 mapped_ = 0;
    T* data_ = nullptr;
    u64 size_;
};

} // namespace tlmssd
