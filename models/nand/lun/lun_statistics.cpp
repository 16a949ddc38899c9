// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what LUNs have counted: sums, differences, the table of errors.
#include "models/nand/lun/lun_statistics.h"

namespace tlmssd::nand {

using observe::Table;
using observe::Unit;

Lun::Statistics& Lun::Statistics::operator+=(const Statistics& s)
{
    reads += s.reads;
    busy += s.busy;
    reading += s.reading;
    programs += s.programs;
    erases += s.erases;
    resets += s.resets;
    suspends += s.suspends;
    programming += s.programming;
    erasing += s.erasing;
    bits_read += s.bits_read;
    bit_errors += s.bit_errors;
    expected_bit_errors += s.expected_bit_errors;
    program_fails += s.program_fails;
    erase_fails += s.erase_fails;
    return *this;
}

Lun::Statistics Lun::Statistics::since(const Statistics& before) const
{
    Statistics s = *this;
    s.reads -= before.reads;
    s.busy = busy - before.busy;
    s.reading = reading - before.reading;
    s.programs -= before.programs;
    s.erases -= before.erases;
    s.resets -= before.resets;
    s.suspends -= before.suspends;
    s.programming = programming - before.programming;
    s.erasing = erasing - before.erasing;
    s.bits_read -= before.bits_read;
    s.bit_errors -= before.bit_errors;
    s.expected_bit_errors -= before.expected_bit_errors;
    s.program_fails -= before.program_fails;
    s.erase_fails -= before.erase_fails;
    return s;
}

const Table<ErrorReading>& error_statistics()
{
    using E = ErrorReading;
    static const Table<E> table(
        {{"bits_read", Unit::Bits,
          "bits of the codewords that were read out, data and parity; 0 where `nand.errors.enabled` is false",
          [](const E& e) { return e.luns.bits_read; }},
         {"bit_errors", Unit::Bits, "bits of `bits_read` that were wrong", [](const E& e) { return e.luns.bit_errors; }},
         {"rber", Unit::Fraction, "`bit_errors / bits_read`: the raw bit error rate that was met",
          [](const E& e) {
              return observe::ratio(static_cast<double>(e.luns.bit_errors), static_cast<double>(e.luns.bits_read));
          }},
         {"rber_expected", Unit::Fraction,
          "mean over the same bits of the rate that the error model gives ([nand-errors.md](../explanation/nand-errors.md)). "
          "Without read retry `rber` differs from it by sampling error only; with it `rber` is higher, because "
          "the pages that are read again are those with more errors than expected",
          [](const E& e) {
              return observe::ratio(e.luns.expected_bit_errors, static_cast<double>(e.luns.bits_read));
          }},
         {"program_fails", Unit::Count, "page programs that ended with FAIL",
          [](const E& e) { return e.luns.program_fails; }},
         {"erase_fails", Unit::Count, "block erases that ended with FAIL",
          [](const E& e) { return e.luns.erase_fails; }},
         {"factory_bad_blocks", Unit::Count, "blocks that were bad from the start", &E::factory_bad}});
    return table;
}

} // namespace tlmssd::nand
