// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the reference loop of scripts/bench, a fixed work like a simulator's, by which a machine is measured.
// Floors of speed are ratios to it (docs/contributing/speed-floors.md). It shares no code with the simulator.
// Never tune or change it: all floors would move. tb/pytest/test_reference_loop.py repeats its work in Python.
#include <sys/mman.h>

#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

namespace {

constexpr std::uint64_t kTurns = 1'000'000; // a turn: kEvents of the queue, kLookups of the table, kSteps of the walk
constexpr std::uint64_t kSlice = 1000;      // turns between two looks at the clock
constexpr int kEvents = 6;
constexpr int kLookups = 6;
constexpr int kSteps = 2;

/// Steele, Lea and Flood's SplitMix64, its function of a counter.
std::uint64_t mixed(std::uint64_t counter)
{
    std::uint64_t z = counter * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// A binary heap of kPending events: the earliest leaves and comes again at a random later time.
class EventQueue {
public:
    EventQueue() : heap_(kPending)
    {
        for (std::uint32_t id = 0; id < kPending; ++id) {
            heap_[id] = {id, id};
        }
    }

    /// The earliest event's number.
    std::uint64_t hold()
    {
        Event event = heap_[0];
        const std::uint64_t earliest = event.id;
        event.time += 1 + (mixed(++drawn_) >> 44);
        std::size_t hole = 0;
        for (std::size_t child = 1; child < kPending; child = 2 * hole + 1) {
            if (child + 1 < kPending && before(heap_[child + 1], heap_[child])) {
                ++child;
            }
            if (before(event, heap_[child])) {
                break;
            }
            heap_[hole] = heap_[child];
            hole = child;
        }
        heap_[hole] = event;
        return earliest;
    }

private:
    struct Event {
        std::uint64_t time;
        std::uint64_t id;
    };
    static constexpr std::size_t kPending = 256;

    static bool before(const Event& a, const Event& b) { return a.time != b.time ? a.time < b.time : a.id < b.id; }

    std::vector<Event> heap_;
    std::uint64_t drawn_ = 0;
};

/// A hash table with chains that keeps the last kEntries keys that it lacked, of twice as many.
class HashTable {
public:
    HashTable() : first_(kBuckets, kNone), entries_(kEntries) {}

    /// Looks up a random key: 1 when it is held, else 0, and it takes the place of the oldest key.
    std::uint64_t look_up()
    {
        const auto key = static_cast<std::uint32_t>(mixed(++drawn_) % (2 * kEntries));
        std::uint32_t& first = first_[bucket(key)];
        for (std::uint32_t at = first; at != kNone; at = entries_[at].next) {
            if (entries_[at].key == key) {
                return 1;
            }
        }
        const std::uint32_t taken = oldest_;
        oldest_ = (oldest_ + 1) % kEntries;
        if (filled_ == kEntries) {
            unlink(taken);
        } else {
            ++filled_;
        }
        entries_[taken] = {key, first};
        first = taken;
        return 0;
    }

private:
    struct Entry {
        std::uint32_t key;
        std::uint32_t next;
    };
    static constexpr std::uint32_t kEntries = 1u << 14;
    static constexpr std::uint32_t kBuckets = 1u << 14;
    static constexpr std::uint32_t kNone = ~0u;

    static std::size_t bucket(std::uint32_t key) { return mixed(key) % kBuckets; }

    void unlink(std::uint32_t entry)
    {
        std::uint32_t* link = &first_[bucket(entries_[entry].key)];
        while (*link != entry) {
            link = &entries_[*link].next;
        }
        *link = entries_[entry].next;
    }

    std::vector<std::uint32_t> first_;
    std::vector<Entry> entries_;
    std::uint32_t oldest_ = 0;
    std::uint32_t filled_ = 0;
    std::uint64_t drawn_ = 0;
};

/// 64 MiB of places, each naming the next of one circle in which neighbours lie far apart: each load waits for the
/// one before. The circle is a linear congruential sequence of full period (Knuth, volume 2, theorem 3.2.1.2A).
class MemoryWalk {
public:
    MemoryWalk() : next_(static_cast<std::uint32_t*>(std::aligned_alloc(2u << 20, kPlaces * sizeof(std::uint32_t))))
    {
        if (next_ == nullptr) {
            std::fputs("tlmssd_reference_loop: no memory\n", stderr);
            std::exit(3);
        }
        ::madvise(next_, kPlaces * sizeof(std::uint32_t), MADV_HUGEPAGE);
        for (std::uint32_t place = 0; place < kPlaces; ++place) {
            next_[place] = (1664525u * place + 1013904223u) % kPlaces;
        }
    }
    MemoryWalk(const MemoryWalk&) = delete;
    MemoryWalk& operator=(const MemoryWalk&) = delete;
    ~MemoryWalk() { std::free(next_); }

    /// The next place.
    std::uint64_t step() { return place_ = next_[place_]; }

private:
    static constexpr std::uint32_t kPlaces = 1u << 24;

    std::uint32_t* next_;
    std::uint32_t place_ = 0;
};

/// One part of the work: its wall time and the sum of what it gave.
struct Part {
    double seconds = 0;
    std::uint64_t checksum = 0;

    template <class Work>
    void repeat(std::uint64_t times, Work work)
    {
        const auto begin = std::chrono::steady_clock::now();
        std::uint64_t sum = checksum;
        for (std::uint64_t time = 0; time < times; ++time) {
            sum = sum * 31 + work();
        }
        checksum = sum;
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
};

void measure(std::uint64_t turns)
{
    EventQueue queue;
    HashTable table;
    MemoryWalk walk;
    Part events;
    Part lookups;
    Part steps;
    const std::clock_t begin = std::clock();
    for (std::uint64_t done = 0; done < turns; done += kSlice) {
        const std::uint64_t slice = turns - done < kSlice ? turns - done : kSlice;
        events.repeat(kEvents * slice, [&] { return queue.hold(); });
        lookups.repeat(kLookups * slice, [&] { return table.look_up(); });
        steps.repeat(kSteps * slice, [&] { return walk.step(); });
    }
    const double cpu = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const double count = static_cast<double>(turns);
    std::printf("{\"turns\": %" PRIu64 ", \"seconds\": %.9f, \"cpu_seconds\": %.6f, \"event_ns\": %.3f, "
                "\"lookup_ns\": %.3f, \"step_ns\": %.3f, \"checksum\": \"%016" PRIx64 "\"}\n",
                turns, events.seconds + lookups.seconds + steps.seconds, cpu, events.seconds * 1e9 / (kEvents * count),
                lookups.seconds * 1e9 / (kLookups * count), steps.seconds * 1e9 / (kSteps * count),
                events.checksum ^ lookups.checksum ^ steps.checksum);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc == 1) {
        measure(kTurns);
        return 0;
    }
    char* end = nullptr;
    if (argc == 3 && std::strcmp(argv[1], "--turns") == 0) {
        const unsigned long long turns = std::strtoull(argv[2], &end, 10);
        if (argv[2][0] >= '1' && argv[2][0] <= '9' && *end == '\0' && turns <= 1'000'000'000) {
            measure(turns);
            return 0;
        }
        std::fprintf(stderr, "tlmssd_reference_loop: --turns '%s': must be 1 to 1000000000\n", argv[2]);
        return 2;
    }
    std::fputs("tlmssd_reference_loop: usage: tlmssd_reference_loop [--turns N]\n", stderr);
    return 2;
}
