"""Stages of joint work: each process reports on its part, and goes on when all have reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Final, final

from effects.arguments import shown
from effects.errors import EffaxError, FileError
from effects.files.formats import Unreadable
from lowering.pjrt import processes as runtime

_HOUR: Final = 3600.0
"""Seconds that processes wait for the slowest of them."""
_stage_numbers: Final = count(1)
"""Count of the stages so far, equal in all processes, since they go through them in the same order."""


@final
class Together:
    """This process among those that save or load a checkpoint at `where`, for `function`."""

    def __init__(self, function: str, where: Path) -> None:
        self.function: Final = function
        self.where: Final = where
        self.joined_runtime: Final = runtime.joined()
        self.index: Final = 0 if self.joined_runtime is None else self.joined_runtime.process
        self._name: Final = f"{function}/{next(_stage_numbers)}"
        self._messages: Final[list[str]] = []

    def stage(self, name: str, work: Callable[[], str]) -> list[str]:
        """Do a part of the work: its results in all processes; FileError in all of them if one has failed."""
        try:
            mine = self._done(work)
        except BaseException as error:
            self.give_up(name, error)
            raise
        if self.joined_runtime is None:
            return [mine]
        self._say(name, {"done": mine})
        messages = [
            json.loads(self.joined_runtime.hear(self._key(name), i, _HOUR))
            for i in range(self.joined_runtime.processes)
        ]
        for before in self._messages[-2:-1]:  # all have read it, or they would not be at this stage
            self.joined_runtime.forget(self._key(before))
        for index, message in enumerate(messages):
            if "failed" in message:
                raise FileError(f"{self.function}: process {index} has failed: {message['failed']}")
        return [str(message["done"]) for message in messages]

    def give_up(self, name: str, error: BaseException) -> None:
        """Tell the others that this process failed before a stage."""
        reason = error.message if isinstance(error, EffaxError) else f"{type(error).__name__} {error}"
        self._say(name, {"failed": reason})

    def _key(self, name: str) -> str:
        return f"{self._name}/{name}"

    def _say(self, name: str, message: dict[str, str]) -> None:
        if self.joined_runtime is not None and name not in self._messages:
            self._messages.append(name)
            self.joined_runtime.say(self._key(name), json.dumps(message))

    def _done(self, work: Callable[[], str]) -> str:
        try:
            return work()
        except EffaxError:
            raise
        except Unreadable as error:
            entry = "" if error.entry is None else f", entry {shown(error.entry)}"
            raise FileError(f"{self.function}: {self.where}{entry}: {error}") from None
        except OSError as error:
            raise FileError(f"{self.function}: {self.where}: {error}") from error
