// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what all schedulers share: flash tags, descriptors, completions.
#include "firmware/sched/sched.h"

#include "firmware/core/panic.h"

static const struct sched_ops *const schedulers[FW_SCHED_COUNT] = {
#define SCHED(id, name, mode, traits, text) &sched_##name,
#include "firmware/hal/sched.def"
#undef SCHED
};

static u32 die_count(const struct fw_config *cfg) { return cfg->channels * cfg->ways * cfg->dies; }

u32 fw_sched_ops(const struct fw_config *cfg)
{
    (void)cfg;
    return 0;
}

u64 fw_sched_bytes(const struct fw_config *cfg, u32 ops)
{
    return sizeof(struct fw_sched) + (u64)cfg->flash_tags * 6 + (u64)die_count(cfg) * 2 +
           schedulers[cfg->scheduler]->bytes(cfg, ops) + 512;
}

bool fw_sched_boot(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    struct fw_sched *s = fw->sched = fw_fast_table(fw, 1, sizeof *s);
    if (!s) {
        return false;
    }
    s->ops = schedulers[cfg->scheduler];
    s->op_of_tag = fw_fast_table(fw, cfg->flash_tags, 4);
    s->tag_free = fw_fast_table(fw, cfg->flash_tags, 2);
    s->die_busy = fw_fast_table(fw, die_count(cfg), 2);
    if (!s->op_of_tag || !s->tag_free || !s->die_busy) {
        return false;
    }
    for (u32 i = 0; i < cfg->flash_tags; ++i) {
        s->op_of_tag[i] = FW_NONE;
        s->tag_free[i] = (u16)(cfg->flash_tags - 1 - i); /* lowest on top */
    }
    s->tags_free = cfg->flash_tags;
    return s->ops->boot(fw);
}

bool fw_sched_idle(const struct fw *fw)
{
    return fw->sched->in_flight == 0 && fw->sched->queued == 0 && fw->sched->ops->idle(fw);
}

bool sched_submit(struct fw *fw, u32 op, bool fence)
{
    const bool gc = (fw->ops[op].flags & FW_OP_GC) != 0;
    return sched_submit_as(fw, op, fence ? FLASH_FLAG_FENCE : 0,
                           gc ? FW_STREAM_GC : FW_STREAM_HOST);
}

bool sched_submit_as(struct fw *fw, u32 first, u8 flags, u16 stream)
{
    struct fw_sched *s = fw->sched;
    if (s->tags_free == 0) {
        return false;
    }
    const u32 tag = s->tag_free[s->tags_free - 1];
    const struct fw_op *o = &fw->ops[first];
    const bool oob = o->opcode == FLASH_OP_PROGRAM || (o->flags & FW_OP_WITH_OOB);
    struct flash_op d; /* all fields, one by one: small CPUs clear it slowly */
    d.tag = (u16)tag;
    d.opcode = o->opcode;
    d.flags = (u8)(flags | (fw->cfg.suspendable >> o->opcode & FLASH_FLAG_SUSPENDABLE));
    d.channel = o->channel;
    d.ce = o->ce;
    d.lun = o->lun;
    d.stream = stream;
    d.seq = stream < FLASH_STREAMS ? s->sequence[stream] : 0;
    d.oob = oob ? fw->cfg.oob_base + tag * 64 : FLASH_NO_OOB;
    d.cookie = first;
    d.reserved = 0;
    for (u32 i = 0; i < FLASH_MAX_PLANES; ++i) {
        d.row[i] = d.buf[i] = 0;
        d.col[i] = d.len[i] = 0;
    }
    u32 planes = 0;
    for (u32 op = first; op != FW_NONE;) {
        const struct fw_op *m = &fw->ops[op];
        op = m->mate;
        d.row[planes] = m->row;
        d.buf[planes] = m->buf;
        d.col[planes] = m->col;
        d.len[planes] = m->len;
        fw_charge(fw, FW_COST_SCHED_PLANE, 1);
        if (m->opcode == FLASH_OP_PROGRAM) {
            fw_charge(fw, FW_COST_SCHED_OOB, 1);
            memcpy(fw->oob + tag * 64 + planes * 16, &m->oob, sizeof m->oob);
        }
        ++planes;
    }
    d.nplanes = (u8)planes;
    if (o->opcode == FLASH_OP_COPYBACK) {
        d.row[1] = o->copy_row;
        d.buf[0] = o->len != 0 ? o->buf : 0; /* a page that ECC checks on the way */
    }
    fw_charge(fw, FW_COST_SCHED_SUBMIT, 1);
    const bool refused = fw_op_refused(o); /* then its mates are too */
    if (refused) {
        const struct fw_message m = {.kind = FW_MSG_SCHED_REFUSED, .a = tag};
        fw_send(fw, FW_MODULE_SCHED, &m);
    } else if (!hal_flash_submit(fw->hal, &d)) {
        return false;
    }
    fw_charge(fw, FW_COST_SCHED_SUBMITTED, 1);
    --s->tags_free;
    s->op_of_tag[tag] = first;
    if (stream < FLASH_STREAMS && !refused) {
        ++s->sequence[stream];
    }
    ++s->die_busy[o->die];
    ++s->in_flight;
    s->queued -= planes;
    fw->stats.flash_operations += !refused;
    fw->stats.multi_plane_ops += planes > 1 && !refused;
    fw_probe(fw, FW_PROBE_SCHED_QUEUED, s->queued);
    if (refused) { /* the flash never sees it */
        return true;
    }
    fw_probe(fw, FW_PROBE_FLASH_TAG, s->joined ? tag | FW_FLASH_JOINED : tag);
    for (u32 op = first; fw->probing && op != FW_NONE; op = fw->ops[op].mate) {
        const struct fw_op *m = &fw->ops[op];
        fw_probe(fw, FW_PROBE_FLASH_REQUEST, m->request);
        if (!(m->flags & FW_OP_GC)) {
            fw_probe(fw, FW_PROBE_FLASH_LINE, tag << 24 | m->line);
        }
    }
    return true;
}

static void ask_ftl(struct fw *fw, u16 kind, u32 op)
{
    const struct fw_message m = {.kind = kind, .a = op};
    fw_send(fw, FW_MODULE_FTL, &m);
    fw_op_probe(fw, &fw->ops[op], FW_MODULE_FTL);
}

void sched_assign(struct fw *fw, u32 op) { ask_ftl(fw, FW_MSG_OP_ASSIGN, op); }
void sched_translate(struct fw *fw, u32 op) { ask_ftl(fw, FW_MSG_OP_TRANSLATE, op); }

void sched_drop_cancelled(struct fw *fw, u32 op)
{
    --fw->sched->queued;
    ask_ftl(fw, FW_MSG_OP_CANCELLED, op);
}

void sched_move(struct fw *fw, u32 op, u32 die)
{
    const struct fw_message m = {.kind = FW_MSG_OP_MOVE, .a = op, .b = die};
    fw_send(fw, FW_MODULE_FTL, &m);
    for (; op != FW_NONE; op = fw->ops[op].mate) {
        fw_op_probe(fw, &fw->ops[op], FW_MODULE_FTL);
    }
}

void sched_drop_unmapped(struct fw *fw, u32 op)
{
    --fw->sched->queued;
    const struct fw_message m = {.kind = FW_MSG_PAGE_OP_DONE, .a = op, .b = 1};
    fw_send(fw, FW_MODULE_BUFFER, &m);
    fw_op_probe(fw, &fw->ops[op], FW_MODULE_BUFFER);
}

void fw_sched_completion(struct fw *fw, const struct flash_completion *completion)
{
    struct fw_sched *s = fw->sched;
    const u32 tag = completion->tag;
    fw_charge(fw, FW_COST_SCHED_COMPLETE, 1);
    if (tag >= fw->cfg.flash_tags || s->op_of_tag[tag] == FW_NONE) {
        fw_panic(fw, FW_PANIC_BAD_TAG, tag);
        return;
    }
    u32 op = s->op_of_tag[tag];
    s->op_of_tag[tag] = FW_NONE;
    s->tag_free[s->tags_free++] = (u16)tag;
    --s->die_busy[fw->ops[op].die];
    --s->in_flight;
    /* Each plane has its own end: the status counts for those that the mask names, or for all. */
    const u8 status = completion->status;
    const u8 failed = status != FLASH_STATUS_OK && completion->failed_planes == 0
                          ? 0xff
                          : completion->failed_planes;
    for (u32 i = 0; op != FW_NONE; ++i) {
        struct fw_op *o = &fw->ops[op];
        const u32 mate = o->mate;
        fw_charge(fw, FW_COST_SCHED_DONE, 1);
        o->mate = FW_NONE;
        o->status = failed >> i & 1 ? status : FLASH_STATUS_OK;
        if (o->flags & FW_OP_WITH_OOB) {
            fw_charge(fw, FW_COST_SCHED_OOB, 1);
            memcpy(&o->oob, fw->oob + tag * 64 + i * 16, sizeof o->oob);
        }
        s->ops->done(fw, op);
        ask_ftl(fw, FW_MSG_OP_DONE, op);
        op = mate;
    }
    s->ops->pump(fw);
}

void fw_sched_space(struct fw *fw) { fw->sched->ops->pump(fw); }

#ifdef FW_NATIVE
bool fw_sched_wants_oob(const struct fw *fw, u32 tag)
{
    const u32 op = tag < fw->cfg.flash_tags ? fw->sched->op_of_tag[tag] : FW_NONE;
    return op != FW_NONE && (fw->ops[op].flags & FW_OP_WITH_OOB) != 0;
}

bool fw_sched_pass(struct fw *fw, u32 writes)
{
    struct fw_sched *s = fw->sched;
    if (fw_sched_does(fw, SCHED_PLACES_WRITES)) {
        return false;
    }
    s->sequence[FW_STREAM_HOST] += (u16)writes;
    if (s->ops->passed) {
        s->ops->passed(fw, writes);
    }
    return true;
}
#endif

void fw_sched_message(struct fw *fw, const struct fw_message *message)
{
    struct fw_sched *s = fw->sched;
    const u32 op = message->a;
    fw_charge(fw, FW_COST_SCHED_MESSAGE, 1);
    switch (message->kind) {
    case FW_MSG_OP_NEW:
    case FW_MSG_OP_PLACED:
        fw_charge(fw, FW_COST_SCHED_ENQUEUE, 1);
        ++s->queued;
        s->ops->add(fw, op);
        break;
    case FW_MSG_OP_TRANSLATED:
        s->ops->translated(fw, op, message->b != 0);
        break;
    case FW_MSG_OP_ASSIGNED:
        s->ops->assigned(fw, op);
        break;
    case FW_MSG_OP_LATER:
        s->ops->late(fw, op, message->b != 0);
        break;
    case FW_MSG_OP_CANCEL:
        s->ops->cancel(fw, op, message->b);
        break;
    case FW_MSG_OP_READ_HIT:
        s->ops->read_hit(fw, op, message->b, message->c);
        break;
    case FW_MSG_OP_STAYS:
        s->ops->stays(fw, op, message->b != 0);
        break;
    case FW_MSG_SCHED_REFUSED: {
        const struct flash_completion end = {.tag = (u16)op, .status = FLASH_STATUS_FAIL};
        fw_sched_completion(fw, &end);
        return;
    }
    case FW_MSG_SCHED_WAKE:
    case FW_MSG_TIMER:
        if (s->ops->wake) {
            s->ops->wake(fw, message->kind == FW_MSG_TIMER);
            break;
        } /* nobody asked for it */
        fw_panic(fw, FW_PANIC_BAD_MESSAGE, message->kind);
        return;
    default:
        fw_panic(fw, FW_PANIC_BAD_MESSAGE, message->kind);
        return;
    }
    s->ops->pump(fw);
}
