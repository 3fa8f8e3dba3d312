"""A handler of a user's own that changes nothing: the smallest forward handler there is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, final

from effects import Array, Carrier, Operation, ShapedArray, perform, tree_flatten, tree_unflatten
from effects.program.chain import Performed
from handlers import Forward


@final
class Box(Carrier):
    """A value in a box."""

    __slots__ = ("owner", "value")

    def __init__(self, owner: Boxing, value: Array) -> None:
        self.owner = owner
        self.value = value

    @property
    def aval(self) -> ShapedArray:
        return self.value.aval


@final
class Boxing(Forward[Box]):
    """Every operation is performed on what is in the boxes, and its results are put in boxes."""

    augments = True

    def constant(self, value: Array, /) -> Box:
        return Box(self, value)

    def interpret(self, op: Operation[Box], /) -> Performed:
        result = perform(op.map(lambda box: box.value))
        return tuple([Box(self, r) for r in result]) if isinstance(result, tuple) else Box(self, result)

    def unpack(self, value: Box, /) -> tuple[tuple[Array, ...], Hashable]:
        return (value.value,), None

    def pack(self, parts: Sequence[Array], static: Hashable, /) -> Box:
        return Box(self, parts[0])


def boxed(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` with every argument in a box."""

    def in_boxes(*args: Any, **kwargs: Any) -> Any:
        values, tree = tree_flatten((args, kwargs))
        with Boxing() as handler:
            inner_args, inner_kwargs = tree_unflatten(tree, [Box(handler, value) for value in values])
            results, out_tree = tree_flatten(f(*inner_args, **inner_kwargs))
            boxes = [handler.lift(result) for result in results]
        return tree_unflatten(out_tree, [box.value for box in boxes])

    return in_boxes
