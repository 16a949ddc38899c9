// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the nbdkit plugin of `tlmssd serve`: hands NBD requests to the simulator through shared memory.
#define _GNU_SOURCE
#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "models/serve/serve_ring.h"

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL

enum { SECTOR = 512, PATIENCE_MS = 200, MOST_TRIMMED = 65536 };

static int ring_fd = -1;
static int life_fd = -1; // ends with the simulator
static struct serve_ring *ring;
static sem_t free_slots;
static uint64_t taken[SERVE_WORDS];

// ---- slots ----

static uint32_t take_slot(void)
{
    while (sem_wait(&free_slots) != 0) {
    }
    for (;;) { // the semaphore says that one is free
        for (uint32_t word = 0; word < SERVE_WORDS; ++word) {
            uint64_t old = __atomic_load_n(&taken[word], __ATOMIC_RELAXED);
            while (~old != 0) {
                const uint32_t bit = (uint32_t)__builtin_ctzll(~old);
                if (__atomic_compare_exchange_n(&taken[word], &old, old | 1ull << bit, false,
                                                __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
                    return word * 64 + bit;
                }
            }
        }
    }
}

static void give_slot(uint32_t slot)
{
    __atomic_fetch_and(&taken[slot / 64], ~(1ull << (slot % 64)), __ATOMIC_RELEASE);
    sem_post(&free_slots);
}

/* Hand the slot to the simulator and wait for its end; -1 with an NBD error where it failed. */
static int ask(uint32_t slot)
{
    struct serve_slot *s = &ring->slot[slot];
    s->failed = 0;
    __atomic_store_n(&s->state, SERVE_ASKED, __ATOMIC_RELAXED);
    __atomic_fetch_or(&ring->asked[slot / 64], 1ull << (slot % 64), __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&ring->sleeping, __ATOMIC_SEQ_CST) != 0 &&
        __atomic_exchange_n(&ring->sleeping, 0, __ATOMIC_SEQ_CST) != 0) {
        serve_wake(&ring->sleeping);
    }
    uint32_t state = SERVE_ASKED;
    __atomic_compare_exchange_n(&s->state, &state, SERVE_AWAITED, false, __ATOMIC_ACQUIRE,
                                __ATOMIC_ACQUIRE);
    while (__atomic_load_n(&s->state, __ATOMIC_ACQUIRE) != SERVE_DONE) {
        if (__atomic_load_n(&ring->closed, __ATOMIC_ACQUIRE) != 0) {
            nbdkit_error("tlmssd: the simulation has ended");
            nbdkit_set_error(ESHUTDOWN);
            return -1;
        }
        serve_sleep(&s->state, SERVE_AWAITED, PATIENCE_MS);
    }
    if (s->failed != 0) {
        nbdkit_error("tlmssd: the device ended the command with an error");
        nbdkit_set_error(EIO);
        return -1;
    }
    return 0;
}

/* One command without data in memory of ours, or with a slot's data that are there already. */
static int command(uint32_t slot, uint32_t opcode, uint64_t lba, uint32_t sectors, uint32_t fua)
{
    struct serve_slot *s = &ring->slot[slot];
    s->opcode = opcode;
    s->lba = lba;
    s->sectors = sectors;
    s->fua = fua;
    return ask(slot);
}

static bool aligned(uint64_t offset, uint32_t count)
{
    if (offset % SECTOR == 0 && count % SECTOR == 0) {
        return true;
    }
    nbdkit_error("tlmssd: requests are of whole sectors of %d bytes", SECTOR);
    nbdkit_set_error(EINVAL);
    return false;
}

// ---- nbdkit's calls ----

static int on_config(const char *key, const char *value)
{
    if (strcmp(key, "ring") == 0) {
        return nbdkit_parse_int(key, value, &ring_fd);
    }
    if (strcmp(key, "life") == 0) {
        return nbdkit_parse_int(key, value, &life_fd);
    }
    nbdkit_error("unknown parameter %s", key);
    return -1;
}

static int on_config_complete(void)
{
    if (ring_fd < 0 || life_fd < 0) {
        nbdkit_error("tlmssd serve starts this plugin");
        return -1;
    }
    return 0;
}

static int on_get_ready(void)
{
    struct stat facts;
    if (fstat(ring_fd, &facts) != 0 || (uint64_t)facts.st_size < sizeof *ring) {
        nbdkit_error("ring: no shared memory of tlmssd serve");
        return -1;
    }
    void *memory = mmap(NULL, (size_t)facts.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, ring_fd, 0);
    if (memory == MAP_FAILED) {
        nbdkit_error("mmap: %m");
        return -1;
    }
    ring = memory;
    if (ring->magic != SERVE_MAGIC || ring->version != SERVE_VERSION ||
        ring->bytes != (uint64_t)facts.st_size) {
        nbdkit_error("ring: of another version of tlmssd");
        return -1;
    }
    return sem_init(&free_slots, 0, SERVE_SLOTS);
}

/* A simulator that is killed takes its clients along, as a disk without supply. */
static void *watch(void *nothing)
{
    char byte;
    while (read(life_fd, &byte, 1) < 0 && errno == EINTR) {
    }
    _exit(1);
    return nothing;
}

/* nbdkit listens by now. */
static int on_after_fork(void)
{
    pthread_t thread;
    const int error = pthread_create(&thread, NULL, watch, NULL);
    if (error != 0) {
        nbdkit_error("pthread_create: %s", strerror(error));
        return -1;
    }
    __atomic_store_n(&ring->ready, 1, __ATOMIC_RELEASE);
    return 0;
}

static void *on_open(int readonly)
{
    (void)readonly;
    return NBDKIT_HANDLE_NOT_NEEDED;
}

static int64_t on_get_size(void *handle)
{
    (void)handle;
    return (int64_t)(ring->sectors * SECTOR);
}

static int on_block_size(void *handle, uint32_t *minimum, uint32_t *preferred, uint32_t *maximum)
{
    (void)handle;
    *minimum = SECTOR;
    *preferred = ring->page_sectors * SECTOR < 4096 ? 4096 : ring->page_sectors * SECTOR;
    *maximum = 32u << 20;
    return 0;
}

static int yes(void *handle)
{
    (void)handle;
    return 1;
}

static int on_can_fua(void *handle)
{
    (void)handle;
    return NBDKIT_FUA_NATIVE;
}

static int on_pread(void *handle, void *buf, uint32_t count, uint64_t offset, uint32_t flags)
{
    (void)handle;
    (void)flags;
    if (!aligned(offset, count)) {
        return -1;
    }
    const uint32_t slot = take_slot();
    int result = 0;
    for (uint32_t at = 0; at < count && result == 0;) {
        const uint32_t piece = count - at < SERVE_SLOT_BYTES ? count - at : SERVE_SLOT_BYTES;
        result = command(slot, SERVE_READ, (offset + at) / SECTOR, piece / SECTOR, 0);
        if (result == 0) {
            memcpy((char *)buf + at, serve_data(ring, slot), piece);
        }
        at += piece;
    }
    give_slot(slot);
    return result;
}

static int on_pwrite(void *handle, const void *buf, uint32_t count, uint64_t offset, uint32_t flags)
{
    (void)handle;
    if (!aligned(offset, count)) {
        return -1;
    }
    const uint32_t slot = take_slot();
    int result = 0;
    for (uint32_t at = 0; at < count && result == 0;) {
        const uint32_t piece = count - at < SERVE_SLOT_BYTES ? count - at : SERVE_SLOT_BYTES;
        memcpy(serve_data(ring, slot), (const char *)buf + at, piece);
        result = command(slot, SERVE_WRITE, (offset + at) / SECTOR, piece / SECTOR,
                         (flags & NBDKIT_FLAG_FUA) != 0);
        at += piece;
    }
    give_slot(slot);
    return result;
}

static int on_flush(void *handle, uint32_t flags)
{
    (void)handle;
    (void)flags;
    const uint32_t slot = take_slot();
    const int result = command(slot, SERVE_FLUSH, 0, 0, 0);
    give_slot(slot);
    return result;
}

/* Commands of at most `most` sectors for sectors [from, end). */
static int pieces(uint32_t slot, uint32_t opcode, uint64_t from, uint64_t end, uint32_t most, uint32_t fua)
{
    int result = 0;
    while (from < end && result == 0) {
        const uint64_t left = end - from;
        const uint32_t sectors = left < most ? (uint32_t)left : most;
        result = command(slot, opcode, from, sectors, fua);
        from += sectors;
    }
    return result;
}

/* TRIM of the whole pages in sectors [from, end); `edges`: zeros for what is left. */
static int remove_pages(uint64_t from, uint64_t end, bool edges, bool durable)
{
    const uint64_t page = ring->page_sectors;
    uint64_t first = (from + page - 1) / page * page;
    uint64_t last = end / page * page;
    if (first > last) { // no whole page
        first = last = end;
    }
    const uint32_t most_zeros = SERVE_SLOT_BYTES / SECTOR;
    const uint32_t most_trimmed = (uint32_t)(MOST_TRIMMED / page * page);
    const uint32_t slot = take_slot();
    int result = edges ? pieces(slot, SERVE_ZERO, from, first, most_zeros, durable) : 0;
    if (result == 0) {
        result = pieces(slot, SERVE_TRIM, first, last, most_trimmed, 0);
    }
    if (result == 0 && edges) {
        result = pieces(slot, SERVE_ZERO, last, end, most_zeros, durable);
    }
    if (result == 0 && durable && first < last) { // a TRIM is durable behind a FLUSH
        result = command(slot, SERVE_FLUSH, 0, 0, 0);
    }
    give_slot(slot);
    return result;
}

static int on_trim(void *handle, uint32_t count, uint64_t offset, uint32_t flags)
{
    (void)handle;
    if (!aligned(offset, count)) {
        return -1;
    }
    return remove_pages(offset / SECTOR, (offset + count) / SECTOR, false, (flags & NBDKIT_FLAG_FUA) != 0);
}

static int on_zero(void *handle, uint32_t count, uint64_t offset, uint32_t flags)
{
    (void)handle;
    if (!aligned(offset, count)) {
        return -1;
    }
    const uint64_t from = offset / SECTOR;
    const uint64_t end = (offset + count) / SECTOR;
    const bool fua = (flags & NBDKIT_FLAG_FUA) != 0;
    if ((flags & NBDKIT_FLAG_MAY_TRIM) != 0) {
        return remove_pages(from, end, true, fua);
    }
    if ((flags & NBDKIT_FLAG_FAST_ZERO) != 0) {
        nbdkit_set_error(EOPNOTSUPP); // not faster than a write
        return -1;
    }
    const uint32_t slot = take_slot();
    const int result = pieces(slot, SERVE_ZERO, from, end, SERVE_SLOT_BYTES / SECTOR, fua);
    give_slot(slot);
    return result;
}

static bool holds_data(uint64_t page)
{
    return (__atomic_load_n(&serve_map(ring)[page / 64], __ATOMIC_ACQUIRE) >> (page % 64) & 1) != 0;
}

static int on_extents(void *handle, uint32_t count, uint64_t offset, uint32_t flags,
                      struct nbdkit_extents *extents)
{
    (void)handle;
    const uint64_t page_bytes = (uint64_t)ring->page_sectors * SECTOR;
    const uint64_t end = (offset + count + page_bytes - 1) / page_bytes;
    for (uint64_t page = offset / page_bytes; page < end;) {
        const bool data = holds_data(page);
        uint64_t next = page + 1;
        while (next < end && holds_data(next) == data) {
            ++next;
        }
        if (nbdkit_add_extent(extents, page * page_bytes, (next - page) * page_bytes,
                              data ? 0 : NBDKIT_EXTENT_HOLE | NBDKIT_EXTENT_ZERO) != 0) {
            return -1;
        }
        if ((flags & NBDKIT_FLAG_REQ_ONE) != 0 && next * page_bytes > offset) {
            return 0;
        }
        page = next;
    }
    return 0;
}

static struct nbdkit_plugin plugin = {
    .name = "tlmssd",
    .longname = "tlmssd: a simulated SSD",
    .config = on_config,
    .config_complete = on_config_complete,
    .get_ready = on_get_ready,
    .after_fork = on_after_fork,
    .open = on_open,
    .get_size = on_get_size,
    .block_size = on_block_size,
    .can_write = yes,
    .can_flush = yes,
    .can_trim = yes,
    .can_zero = yes,
    .can_fast_zero = yes,
    .can_extents = yes,
    .can_multi_conn = yes,
    .can_fua = on_can_fua,
    .pread = on_pread,
    .pwrite = on_pwrite,
    .flush = on_flush,
    .trim = on_trim,
    .zero = on_zero,
    .extents = on_extents,
};

NBDKIT_REGISTER_PLUGIN(plugin)
