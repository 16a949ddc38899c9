// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `none`: buffers live as long as the request that needs them.
#include "firmware/buffer/policy.h"

static u64 bytes(const struct fw_config *cfg)
{
    (void)cfg;
    return 0;
}

static bool boot(struct fw *fw)
{
    (void)fw;
    return true;
}

static u32 victim(struct fw *fw)
{
    (void)fw;
    return FW_NONE;
}

const struct buffer_policy_ops buffer_policy_none = {
    .retain = false,
    .write_back = false,
    .bytes = bytes,
    .boot = boot,
    .victim = victim,
};
