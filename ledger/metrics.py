"""Numbers for Prometheus, as a file for node_exporter or behind a small endpoint: the door of its client.

What is measured is plain data of the rooms that measure it. No label has a tenant's or a task's name: what
people may add without end would be series without end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from prometheus_client import CollectorRegistry, start_http_server, write_to_textfile
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.core import Metric as Family
from prometheus_client.registry import Collector

from ledger.errors import BadInput


@dataclass(frozen=True, slots=True)
class Metric:
    """One number, or one for each value of a `label`; the unit stands in its name."""

    name: str
    says: str
    values: float | Mapping[str, float]
    label: str = ""
    kind: Literal["gauge", "counter"] = "gauge"


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many were at most so large: a count for each of the bounds, and one beyond them all."""

    name: str
    says: str
    bounds: Sequence[float]
    counts: Sequence[int]
    total: float


Measured = Callable[[], Iterable[Metric | Histogram]]


def write_metrics(path: str, measured: Measured) -> None:
    """Write a file that is read whole or not at all: beside the old one first, then in its place.

    Raises `OSError` where that cannot be done; the old file stands then.
    """
    write_to_textfile(path, _registry(measured))


@contextmanager
def serving(where: str, measured: Measured) -> Iterator[int]:
    """Answer at ADDRESS:PORT, on a thread, what is measured at each request; gives the port.

    Raises `BadInput` where that is no place to listen at.
    """
    address, _, port = where.rpartition(":")
    if not address or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise BadInput(f"--metrics {where!r}: write ADDRESS:PORT, such as 127.0.0.1:9464")
    try:
        server, thread = start_http_server(int(port), address.strip("[]"), _registry(measured))
    except OSError as error:
        raise BadInput(f"--metrics {where!r}: nothing can listen there: {error}") from error
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Collector(Collector):
    def __init__(self, measured: Measured) -> None:
        self._measured = measured

    def collect(self) -> Iterator[Family]:
        for one in self._measured():
            yield _histogram(one) if isinstance(one, Histogram) else _family(one)


def _registry(measured: Measured) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(_Collector(measured))
    return registry


def _family(metric: Metric) -> Family:
    made = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
    labelled = isinstance(metric.values, Mapping)
    family = made(metric.name, metric.says, labels=[metric.label] if labelled else [])
    values = metric.values if isinstance(metric.values, Mapping) else {"": metric.values}
    for value, number in values.items():
        family.add_metric([value] if labelled else [], number)
    return family


def _histogram(one: Histogram) -> Family:
    buckets, so_far = [], 0
    for bound, count in zip([*map(str, one.bounds), "+Inf"], one.counts, strict=True):
        so_far += count
        buckets.append((bound, float(so_far)))
    return HistogramMetricFamily(one.name, one.says, buckets=buckets, sum_value=one.total)
