// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a scheduler does and can do, as its row of sched.def says. Everybody else asks for one of
// these, never for a scheduler's name. Where configuration can switch it off, the row says that it can.
#pragma once

enum sched_trait {
    /* New operations come to it untranslated; it asks the FTL when it wants to (FW_MSG_OP_TRANSLATE). */
    SCHED_TRANSLATES_LATE = 1 << 0,
    /* It chooses the dies of writes itself (FW_MSG_OP_MOVE): who else would choose them conflicts with it. */
    SCHED_PLACES_WRITES = 1 << 1,
    /* It moves queued writes away from the die that they were given first (fw_stats.reallocated). */
    SCHED_REALLOCATES = 1 << 2,
    /* FW_MSG_OP_MOVE with several joined programs: the FTL keeps the write points of a die's planes in step. */
    SCHED_ASSIGNS_TOGETHER = 1 << 3,
    /* FW_MSG_OP_LATER reports each program that has to wait in the FTL. */
    SCHED_HEARS_OF_WAITS = 1 << 4,
    /* A queued program can be taken back (FW_MSG_OP_CANCEL): the hit manager of the buffer works with it. */
    SCHED_TAKES_BACK = 1 << 5,
    /* Reads of queued programs are reported to it (FW_MSG_OP_READ_HIT). */
    SCHED_COUNTS_HITS = 1 << 6,
    /* A write can go to flash in the program of a younger write of its page. */
    SCHED_JOINS_WRITES = 1 << 7,
    /* Operations of garbage collection pass programs of the host. */
    SCHED_LETS_GC_PASS = 1 << 8,
    /* It passes copybacks on. */
    SCHED_COPIES_BACK = 1 << 9,
    /* It submits to idle dies only. */
    SCHED_ONE_A_DIE = 1 << 10,
    /* It joins operations on several planes of a die in one (fw_stats.multi_plane_ops). */
    SCHED_JOINS_PLANES = 1 << 11,
    /* It submits operations before older ones of the same queue (fw_stats.reordered). */
    SCHED_REORDERS = 1 << 12,
    /* With ONE_A_DIE: a die that has one read of the host gets one more. */
    SCHED_READS_AHEAD = 1 << 13
};
