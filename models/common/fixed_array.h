// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an array of objects that can be neither moved nor copied, such as owners of timers.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace tlmssd {

/// Its length is chosen once, its elements lie one after the other and never move.
template <class T> class FixedArray {
public:
    FixedArray() = default;
    /// `construct(void* place, std::size_t index)` makes element `index` by placement new.
    template <class Construct> FixedArray(std::size_t count, Construct construct)
    {
        data_ = std::allocator<T>().allocate(count);
        capacity_ = count;
        try {
            for (; size_ < count; ++size_) {
                construct(static_cast<void*>(data_ + size_), size_);
            }
        } catch (...) {
            clear();
            throw;
        }
    }
    ~FixedArray() { clear(); }
    FixedArray(const FixedArray&) = delete;
    FixedArray& operator=(const FixedArray&) = delete;
    FixedArray(FixedArray&& other) noexcept { swap(other); }
    FixedArray& operator=(FixedArray&& other) noexcept
    {
        swap(other);
        return *this;
    }

    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    T& front() { return *data_; }
    T& back() { return data_[size_ - 1]; }

private:
    void swap(FixedArray& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }
    void clear() noexcept
    {
        while (size_ > 0) { // the last first, as of members
            std::destroy_at(data_ + --size_);
        }
        if (data_ != nullptr) {
            std::allocator<T>().deallocate(data_, capacity_);
        }
        data_ = nullptr;
        capacity_ = 0;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

} // namespace tlmssd
