// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a first-in first-out ring that grows when it is full and never shrinks.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tlmssd {

/// Queue without allocation in steady state. T is default-constructible and cheap to move.
template <class T>
class Fifo {
public:
    explicit Fifo(std::size_t capacity = 16)
    {
        std::size_t size = 1;
        while (size < capacity) {
            size *= 2;
        }
        ring_.resize(size);
        mask_ = size - 1;
    }
    bool empty() const { return head_ == tail_; }
    std::size_t size() const { return tail_ - head_; }
    /// A new last element, as whatever used its place left it.
    T& append()
    {
        if (size() > mask_) {
            grow();
        }
        return ring_[tail_++ & mask_];
    }
    void push(T value)
    {
        if (size() > mask_) {
            grow();
        }
        ring_[tail_++ & mask_] = std::move(value);
    }
    /// Requires !empty().
    T& front() { return ring_[head_ & mask_]; }
    const T& front() const { return ring_[head_ & mask_]; }
    T& back() { return ring_[(tail_ - 1) & mask_]; }
    T pop()
    {
        T value = std::move(ring_[head_ & mask_]);
        drop();
        return value;
    }
    /// The n-th from the front, 0 is the front; requires n < size().
    const T& operator[](std::size_t n) const { return ring_[(head_ + n) & mask_]; }
    /// Take the n-th from the front out; the others keep their order.
    T take(std::size_t n)
    {
        T value = std::move(ring_[(head_ + n) & mask_]);
        for (; n > 0; --n) {
            ring_[(head_ + n) & mask_] = std::move(ring_[(head_ + n - 1) & mask_]);
        }
        drop();
        return value;
    }
    /// pop() without the value.
    void drop()
    {
        if (++head_ == tail_) {
            head_ = tail_ = 0; // stay in the cache
        }
    }

private:
    [[gnu::noinline]] void grow()
    {
        std::vector<T> larger(ring_.size() * 2);
        const std::size_t count = size();
        for (std::size_t i = 0; i < count; ++i) {
            larger[i] = std::move(ring_[(head_ + i) & mask_]);
        }
        ring_ = std::move(larger);
        mask_ = ring_.size() - 1;
        head_ = 0;
        tail_ = count;
    }

    std::vector<T> ring_; ///< size is a power of two
    std::size_t mask_ = 0;
    std::size_t head_ = 0;
    std::size_t tail_ = 0;
};

} // namespace tlmssd
