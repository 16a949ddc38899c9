// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a big zero-filled array whose pages cost memory only once touched.
#pragma once

#include <sys/mman.h>

#include <new>
#include <type_traits>

#include "models/common/types.h"

namespace tlmssd::onfi {

/// `size` zero elements of a trivial type, 2 MiB-aligned, on huge pages where the system has them.
/// Throws std::bad_alloc when the address space is refused.
template <class T>
class ZeroMemory {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    explicit ZeroMemory(u64 size) : size_(size)
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
        ::madvise(data_, size * sizeof(T), MADV_HUGEPAGE); // a hint: failure costs speed only
    }
    ~ZeroMemory() { ::munmap(base_, mapped_); }
    ZeroMemory(const ZeroMemory&) = delete;
    ZeroMemory& operator=(const ZeroMemory&) = delete;

    T& operator[](u64 i) { return data_[i]; }
    const T& operator[](u64 i) const { return data_[i]; }
    u64 size() const { return size_; }

private:
    static constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
    void* base_ = nullptr;
    u64 mapped_ = 0;
    T* data_ = nullptr;
    u64 size_;
};

} // namespace tlmssd::onfi
