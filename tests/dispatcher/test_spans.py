"""Spans of runs: one trace for each, carried to whoever is called; and nothing where tracing is off."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from dispatcher import Registry, Run
from ledger.spans import tracing
from tests.dispatcher.desk import TENANT, Book, at_work
from tests.dispatcher.receiver import Receiver, answer
from tests.dispatcher.stands import hook, http
from tests.sweeper.book import Book as Swept


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """What a process that has OpenTelemetry on would export."""
    kept = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    yield kept
    provider.shutdown()


def named(spans: InMemorySpanExporter, name: str, key: object = None) -> list[ReadableSpan]:
    found = [span for span in spans.get_finished_spans() if span.name == name]
    return [span for span in found if key is None or (span.attributes or {}).get("ledger.key") == str(key)]


async def test_a_run_is_one_trace_from_its_start_to_its_end(
    book: Book, registry: Registry, spans: InMemorySpanExporter
) -> None:
    seen: list[trace.SpanContext] = []

    @registry.handler("job")
    async def job(run: Run) -> None:
        seen.append(trace.get_current_span().get_span_context())

    @registry.handler("slow")
    def slow(run: Run) -> None:
        seen.append(trace.get_current_span().get_span_context())
        raise ValueError("no paper")

    async with at_work(book.dsn, registry) as (dispatcher, ears):
        for task, entrypoint, ended in (("a", "job", "succeeded"), ("b", "slow", "failed")):
            key = book.due(task, entrypoint)
            await ears.hear("run written", key=key)
            ((start,), (deliver,), (finish,)) = (
                named(spans, f"ledger.{name}", key) for name in ("start", "deliver", "finish")
            )
            assert start.parent is None
            assert deliver.parent == finish.parent == start.context
            assert seen.pop() == deliver.context
            (link,) = start.links
            (claim,) = [one for one in named(spans, "ledger.claim") if one.context == link.context]
            assert (claim.attributes or {})["ledger.started"] == 1
            assert (start.attributes or {})["ledger.tenant"] == TENANT
            assert (finish.attributes or {})["ledger.state"] == ended
            failed = StatusCode.UNSET if ended == "succeeded" else StatusCode.ERROR
            assert deliver.status.status_code == finish.status.status_code == failed
            assert finish.end_time is not None
            assert start.start_time is not None
            assert finish.end_time > start.start_time
        kept = dispatcher._workers.spans
        assert kept is not None
        assert not kept._runs, "nothing is kept of a run that has ended"


async def test_a_webhook_carries_the_trace_of_its_run(
    book: Book, receiver: Receiver, spans: InMemorySpanExporter
) -> None:
    receiver.answers["/hook"] = answer(500, "broken")
    async with at_work(book.dsn, None, deliveries=http()) as (_, ears):
        key = hook(book, receiver.url("/hook"))
        await ears.hear("run written", key=key)
    (deliver,) = named(spans, "ledger.deliver", key)
    (sent,) = receiver.requests
    assert deliver.context is not None
    wanted = f"00-{deliver.context.trace_id:032x}-{deliver.context.span_id:016x}-"
    assert sent.headers["traceparent"].startswith(wanted)
    assert deliver.status.status_code == StatusCode.ERROR
    assert "500" in str(deliver.status.description)


def test_a_pass_of_the_sweep_is_a_span(dsn: str, spans: InMemorySpanExporter) -> None:
    book = Swept(dsn)
    book.define("a")
    assert book.sweep().green
    book.sql("DELETE FROM ledger.occurrence")
    assert not book.sweep().green
    book.close()
    good, bad = named(spans, "ledger.sweep")
    assert (good.status.status_code, bad.status.status_code) == (StatusCode.UNSET, StatusCode.ERROR)
    assert (bad.attributes or {})["ledger.repaired"] == 1


async def test_where_tracing_is_off_nothing_is_made(book: Book, registry: Registry) -> None:
    """The API is there, as FastAPI brings it, and nobody has set a provider."""
    import_module("opentelemetry.trace")
    assert tracing() is None

    @registry.handler("job")
    async def job(run: Run) -> None: ...

    async with at_work(book.dsn, registry) as (dispatcher, ears):
        for part in (dispatcher._workers, dispatcher._writer, dispatcher._claimer):
            assert part.spans is None
        await ears.hear("run written", key=book.due("a"))


def test_a_dispatcher_imports_nothing_of_it_by_itself() -> None:
    code = (
        "import sys, dispatcher.loop, sweeper.passes, dispatcher.deliveries.http\n"
        "dispatcher.loop.Dispatcher('postgresql://nobody@127.0.0.1:1/x', None)\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
