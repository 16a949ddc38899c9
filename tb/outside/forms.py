# SPDX-License-Identifier: BSD-3-Clause
"""Closed forms: times on an ONFI bus by hand, and counts of random placement. Times are in us."""

import math

# NV-DDR2 at 333 MT/s (mode 6), in ns: chip select, cycle of a command or address byte, busy after a confirm, ready to
# data, data out to command, preamble and first edge of data out, end of data in, address to data in, status to data.
T_CS, T_WC, T_WB, T_RR, T_RHW, T_PREAMBLE, T_END_IN, T_ADL, T_WHR = 20, 25, 100, 20, 100, 15 + 15, 6 + 15, 70, 80
T_CCS = 300  # column change to data
T_EDGES = 6  # of two bytes


def read_command():
    """00h, five bytes of address, 30h."""
    return (T_CS + 7 * T_WC) / 1000


def data_out(size, lun=False):
    """A burst that follows the ready edge; `lun`: 06h, five bytes of address and E0h choose the LUN first."""
    lead = 7 * T_WC + T_CCS if lun else T_RR
    return (T_CS + lead + T_PREAMBLE + size / 2 * T_EDGES) / 1000


def program_command(size):
    """80h, five bytes of address, data, 10h."""
    return (T_CS + 7 * T_WC + T_ADL + size / 2 * T_EDGES + T_END_IN) / 1000


def status():
    """70h and one byte, which takes both edges."""
    return (T_CS + T_WC + T_WHR + T_PREAMBLE + T_EDGES) / 1000


def after_data_out():
    """Between a burst out and the first cycle of the next command; its CE# falls meanwhile."""
    return (T_RHW - T_CS) / 1000


def bus_bytes(sectors, spare, page_sectors):
    """Sectors of 512 bytes with their share of the spare bytes; 16 of them are for the page."""
    return sectors * (512 + (spare - 16) // page_sectors)


def distinct_before_repeat(places, most):
    """Mean number of draws before the first that comes again, at most `most`: sum over k of
    P(k different in a row) = places! / ((places - k)! places^k). Without a limit it is Ramanujan's Q."""
    chance, mean = 1.0, 0.0
    for k in range(most):
        chance *= 1 - k / places
        mean += chance
    return mean


def largest_load(balls, places):
    """Mean of the largest number of balls in one place. P(none has more than k) is
    balls! / places^balls times the coefficient of x^balls in (1 + x + x^2 / 2! + ... + x^k / k!)^places."""
    mean = 0.0
    for k in range(balls):
        power = [1.0] + [0.0] * balls
        for _ in range(places):
            power = [sum(power[i - j] / math.factorial(j) for j in range(min(i, k) + 1)) for i in range(balls + 1)]
        mean += 1 - math.factorial(balls) * power[balls] / float(places) ** balls
    return mean
