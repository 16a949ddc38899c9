# SPDX-License-Identifier: BSD-3-Clause
"""Mean-value analysis of a closed network of queues, after Reiser and Lavenberg (Journal of the ACM 27, 1980).

A station is (number of equal stations, service time, visits of a request to all of them together). A request
goes to each of the equal ones with the same chance. Times have any unit.
"""


def exact(stations, depth, delay=0.0):
    """(requests per unit of time, mean time of a request without `delay`), for exponential service.

    The arrival theorem: a request meets the queue that the network has with one request less.
    R_i(n) = s_i (1 + Q_i(n - 1)); X(n) = n / (delay + sum V_i R_i(n)); Q_i(n) = X(n) V_i R_i(n) / m_i.
    """
    return _analyse(stations, depth, delay, lambda service, queue, busy: service * (1 + queue))


def with_residual(stations, depth, delay=0.0, scv=0.0):
    """The same with a service of squared coefficient of variation `scv`: the one in service has, when
    another arrives, on average s (1 + scv) / 2 left (Reiser 1979). Not exact: the arrival theorem then fails."""
    def residence(service, queue, busy):
        return service * (1 + max(0.0, queue - busy) + busy * (1 + scv) / 2)

    return _analyse(stations, depth, delay, residence)


def _analyse(stations, depth, delay, residence):
    queues, busy, rate, time = [0.0] * len(stations), [0.0] * len(stations), 0.0, 0.0
    for n in range(1, depth + 1):
        times = [residence(service, queues[i], busy[i]) for i, (_, service, _) in enumerate(stations)]
        time = sum(visits * times[i] for i, (_, _, visits) in enumerate(stations))
        rate = n / (delay + time)
        for i, (count, service, visits) in enumerate(stations):
            queues[i] = rate * visits * times[i] / count
            busy[i] = rate * visits * service / count
    return rate, time


def dies_alone(dies, service, depth):
    """Equal dies and nothing else: Q(n) = n / m, so X = n m / ((n + m - 1) s)."""
    return depth * dies / ((depth + dies - 1) * service)
