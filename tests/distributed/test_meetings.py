"""What processes remember of the programs that they call together, and what becomes of one that cannot join."""

from __future__ import annotations

import socket
import sys

import pytest

from lowering.distributed.membership import Membership
from lowering.distributed.monitoring import Watch
from lowering.distributed.rendezvous import Connection
from lowering.pjrt.collective_order import NO_CALL, Calls

HLO = """HloModule jit_step, is_scheduled=true

%region_0 (a: f64[], b: f64[]) -> f64[] {
  ROOT %r = f64[] add(%a, %b)
}

ENTRY %main (x: f64[2]) -> f64[] {
  %s = f64[] all-reduce(%x), channel_id=1, replica_groups=[1,4]<=[4], use_global_device_ids=true, to_apply=%region_0
}
"""


def test_calls_in_which_processes_meet_are_remembered() -> None:
    here, there, other = Calls(), Calls(), Calls()
    launch = here.recording((0, 1), lambda x: x + 1, HLO, "step")
    assert [launch(1), launch(2)] == [2, 3]
    for calls, text in ((there, HLO), (other, HLO.replace(" add(", " maximum("))):
        for _ in range(2):
            calls.recording((0, 1), lambda: None, text, "step")()
    assert here.last() == there.last() and here.last()[0, 1][::2] == (2, "'step' (all-reduce add f64[])")
    assert other.last()[0, 1].digest != here.last()[0, 1].digest and "maximum" in other.last()[0, 1].name
    assert here.at((0, 1), 1) == there.at((0, 1), 1) and here.at((0, 1), 0) == here.at((0, 2), 0) == NO_CALL
    assert here.at((0, 1), 3) is here.at((0, 1), -1) is here.at((0, 2), 1) is None
    here.recording((0, 2), lambda: None, HLO, "step")()
    assert here.last()[0, 2] == there.at((0, 1), 1) and here.last()[0, 1] == there.last()[0, 1]


def test_programs_that_bring_other_devices_together_are_others() -> None:
    found = set()
    for groups in ("[1,4]<=[4]", "[2,2]<=[4]", "mesh['a'=2,'b'=2] {'a'}", "mesh['a'=2,'b'=2] {'b'}", "{{0,1},{2,3}}"):
        calls = Calls()
        calls.recording((0, 1), lambda: None, HLO.replace("[1,4]<=[4]", groups), "step")()
        found.add(calls.last()[0, 1].digest)
    assert len(found) == 5


def test_programs_that_meet_alike_and_compute_other_things_are_others() -> None:
    found = set()
    for source in ("twice", "thrice"):
        calls = Calls()
        calls.recording((0, 1), lambda: None, HLO, source)()
        found.add(calls.last()[0, 1].digest)
    assert len(found) == 2


def test_programs_in_which_nobody_meets_are_as_they_were() -> None:
    launch = lambda: None
    assert Calls().recording((0, 1), launch, "HloModule f\nENTRY %main (x: f64[]) -> f64[] {\n}", "f") is launch


def test_who_cannot_join_tells_the_others_and_is_as_before() -> None:
    hooks = sys.excepthook, sys.exit
    mine, its = socket.socketpair()
    here = Membership("localhost", 1, 2, 0)
    watch = Watch(here, {1: Connection(mine)}, 20.0, Calls())
    assert sys.excepthook is not hooks[0]
    watch.abandon(RuntimeError("no client"))
    assert (sys.excepthook, sys.exit) == hooks
    assert (Connection(its).receive(1.0) or {}).get("why") == "could not join: no client"


def test_a_connection_has_a_time_limit_for_each_direction() -> None:
    mine, its = map(Connection, socket.socketpair())
    mine.send({"a": 1}, within=0.01)
    assert its.receive(5.0) == {"a": 1}
    with pytest.raises(TimeoutError):
        its.receive(0.01)
    its.send({"b": 2}, within=5.0)
    assert mine.receive(1.0) == {"b": 2}


def test_a_connection_that_is_closed_while_it_is_listened_to_says_nothing_more() -> None:
    mine, its = map(Connection, socket.socketpair())
    mine.close()
    assert mine.receive(1.0) is None and its.receive(1.0) is None
    its.close()
