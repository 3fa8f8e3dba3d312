"""One check of many things as one test: what fails is reported together, each with its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def each[T](things: Iterable[T], check: Callable[[T], object], name: Callable[[T], str] = str) -> None:
    """Check every one of the things; raise an ExceptionGroup of all failures, with notes of what they are about."""
    failures: list[Exception] = []
    for thing in things:
        try:
            check(thing)
        except Exception as error:
            error.add_note(f"of {name(thing)}")
            failures.append(error)
    if failures:
        raise ExceptionGroup(f"{len(failures)} do not hold", failures)
