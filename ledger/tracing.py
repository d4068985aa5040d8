"""Spans for OpenTelemetry: the door of its API, imported only where a process has tracing on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

from opentelemetry import context, propagate, trace
from opentelemetry.trace import Link, NoOpTracerProvider, ProxyTracerProvider, Span, Status, StatusCode

Facts: TypeAlias = Mapping[str, str | int | float | bool]
# From and to, in nanoseconds of unix time.
Times: TypeAlias = tuple[int, int]


class Place:
    """Where spans of one story hang: the span that began it."""

    __slots__ = ("span",)

    def __init__(self, span: Span) -> None:
        self.span = span


class Tracing:
    """Makes spans, named `ledger.…`, by the provider that the process has set."""

    def __init__(self, provider: trace.TracerProvider) -> None:
        self._tracer = provider.get_tracer("occurrence-ledger")

    @classmethod
    def of_process(cls) -> Tracing | None:
        """None where nobody has set a provider: spans would go nowhere."""
        provider = trace.get_tracer_provider()
        off = isinstance(provider, ProxyTracerProvider | NoOpTracerProvider)
        return None if off else cls(provider)

    def root(self, name: str, facts: Facts, times: Times, linked: Place | None = None) -> Place:
        """A span of what has been that begins a trace, perhaps linked to another's."""
        links = [] if linked is None else [Link(linked.span.get_span_context())]
        span = self._tracer.start_span(
            name, context.Context(), attributes=facts, links=links, start_time=times[0]
        )
        span.end(times[1])
        return Place(span)

    def child(self, name: str, facts: Facts, times: Times, within: Place | None, error: str | None) -> None:
        """A span of what has been, below another; with an error, it has failed."""
        above = context.Context() if within is None else trace.set_span_in_context(within.span)
        span = self._tracer.start_span(name, above, attributes=facts, start_time=times[0])
        if error is not None:
            self.failed(span, error)
        span.end(times[1])

    @contextmanager
    def under(self, name: str, facts: Facts, within: Place | None = None) -> Iterator[Span]:
        """A span that is current meanwhile, so that others' spans hang below it; what is raised fails it."""
        above = None if within is None else trace.set_span_in_context(within.span)
        with self._tracer.start_as_current_span(name, above, attributes=facts) as span:
            yield span

    def failed(self, span: Span, error: str) -> None:
        """Say that what the span stands for went wrong."""
        span.set_status(Status(StatusCode.ERROR, error))

    def carried(self) -> dict[str, str]:
        """Headers that carry the current span to whoever is called, as the process has it propagated."""
        headers: dict[str, str] = {}
        propagate.inject(headers)
        return headers
