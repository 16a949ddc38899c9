// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: made by scripts/gen/gen_flash_op.py from flash_op.yaml; do not edit.
#pragma once

#include <stdint.h>

#define FLASH_OP_READ 1u
#define FLASH_OP_PROGRAM 2u
#define FLASH_OP_ERASE 3u
#define FLASH_OP_RESET 4u
#define FLASH_OP_COPYBACK 5u

#define FLASH_FLAG_PRIORITY_MASK 3u
#define FLASH_FLAG_FENCE 4u
#define FLASH_FLAG_SUSPENDABLE 8u
#define FLASH_FLAG_META 0x10u
#define FLASH_FLAG_RAW 0x20u

#define FLASH_STATUS_OK 0u
#define FLASH_STATUS_FAIL 1u
#define FLASH_STATUS_ILLEGAL 2u
#define FLASH_STATUS_UNCORRECTABLE 3u
#define FLASH_STATUS_TIMEOUT 4u
#define FLASH_STATUS_ABORTED 5u

#define FLASH_MAX_PLANES 4u
#define FLASH_STREAMS 0x40u
#define FLASH_NO_STREAM 0xffffu
#define FLASH_NO_OOB 0xffffffffu

struct flash_op {
    uint16_t tag;                /*  0: slot of the operation, unique among those in flight */
    uint8_t opcode;              /*  2: FLASH_OP_* */
    uint8_t flags;               /*  3: FLASH_FLAG_* */
    uint8_t channel;             /*  4: bus */
    uint8_t ce;                  /*  5: chip enable on the channel */
    uint8_t lun;                 /*  6: LUN on the chip enable */
    uint8_t nplanes;             /*  7: planes that take part, 1 to 4 */
    uint16_t stream;             /*  8: operations of one stream are fenced and retired against each other */
    uint16_t seq;                /* 10: position in the stream, modulo 65536 */
    uint32_t row[4];             /* 12: ONFI row address of each plane; COPYBACK: source, destination in the same plane */
    uint32_t buf[4];             /* 28: DRAM byte offset of sector 0 of each plane's page buffer */
    uint32_t oob;                /* 44: DRAM byte offset of the 16-byte OOB records, one a plane; FLASH_NO_OOB: none */
    uint8_t col[4];              /* 48: first sector (512 B) of each plane */
    uint8_t len[4];              /* 52: sectors of each plane */
    uint32_t cookie;             /* 56: returned unchanged in the completion */
    uint32_t reserved;           /* 60: zero */
};

struct flash_completion {
    uint16_t tag;                /*  0: tag of the operation */
    uint8_t status;              /*  2: FLASH_STATUS_* */
    uint8_t failed_planes;       /*  3: bit i: plane entry i failed */
    uint16_t retries;            /*  4: read retries */
    uint16_t corrected;          /*  6: bits corrected by ECC */
    uint32_t cookie;             /*  8: from the operation */
    uint32_t reserved;           /* 12: zero */
};

#ifdef __cplusplus
static_assert(sizeof(flash_op) == 64, "flash_op.yaml");
static_assert(sizeof(flash_completion) == 16, "flash_op.yaml");
#else
_Static_assert(sizeof(struct flash_op) == 64, "flash_op.yaml");
_Static_assert(sizeof(struct flash_completion) == 16, "flash_op.yaml");
#endif
