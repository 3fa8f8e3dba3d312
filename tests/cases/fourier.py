"""Cases of Fourier transforms."""

from __future__ import annotations

from typing import Final

import effects as fx
from effects.operations.fourier import Fourier, FourierKind
from tests.cases.case import LINE, OTHERS, Case, shaped, waves

_K = FourierKind
_LENGTHS: Final = {"even": (4,), "odd": (5,), "one": (1,), "two_axes": (3, 2), "three_axes": (2, 2, 3)}


def _of(kind: FourierKind, lanes: tuple[int, ...], lengths: tuple[int, ...]) -> fx.Array:
    if kind is _K.RFFT:
        return shaped((*lanes, *lengths))
    last = lengths[-1] // 2 + 1 if kind is _K.IRFFT else lengths[-1]
    return waves((*lanes, *lengths[:-1], last))


def _single(kind: FourierKind) -> fx.Array:
    values = LINE if kind is _K.RFFT else [complex(x, y) for x, y in zip(LINE, OTHERS, strict=True)]
    return shaped((3, 4), values, fx.float32 if kind is _K.RFFT else fx.complex64)


CASES: Final = (
    *[
        Case(f"{kind.value}-{what}", Fourier(kind, lengths, _of(kind, (2,), lengths)), (0,), ((0,),))
        for kind in _K
        for what, lengths in _LENGTHS.items()
    ],
    *[Case(f"{kind.value}-empty", Fourier(kind, (3,), _of(kind, (0,), (3,))), (0,), ((0,),)) for kind in _K],
    *[Case(f"{kind.value}-single", Fourier(kind, (6,) if kind is _K.IRFFT else (4,), _single(kind))) for kind in _K],
)
