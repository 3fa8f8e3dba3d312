"""Trees: keys and paths, transposition, prefixes, vectors, functions as trees, structures in other processes."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import pickle
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

import effects as fx
from effects import ArgumentError, DictKey, DTypeError, GetAttrKey, SequenceKey, ShapeError, TreeError
from handlers import checkpoint, grad, hessian, jvp, scan, vmap
from lowering import jit
from tests.errors.expect import refusal


class Pair(NamedTuple):
    first: Any
    second: Any


@fx.register(static=["rate"])
@dataclasses.dataclass
class Layer:
    w: Any
    rate: float


class Interval:
    def __init__(self, low: Any, high: Any) -> None:
        self.low, self.high = low, high


class Plain(Interval):
    """Registered without keys."""


fx.register_node(
    Interval,
    lambda i: ((i.low, i.high), None),
    lambda _, ends: Interval(*ends),
    keys=lambda i: (GetAttrKey("low"), GetAttrKey("high")),
)
fx.register_node(Plain, lambda i: ((i.low, i.high), None), lambda _, ends: Plain(*ends))

TREE: Final = {
    "list": [1, (2, None)],
    "pair": Pair(3, {"deep": 4}),
    "layer": Layer(5, 0.1),
    "interval": Interval(6, [7]),
    "plain": Plain(8, 9),
    "ordered": OrderedDict([("z", 10), ("a", 11)]),
    "default": defaultdict(int, {"x": 12}),
}


def test_paths_reach_their_leaves() -> None:
    leaves, treedef = fx.tree_flatten_with_path(TREE)
    assert [leaf for _, leaf in leaves] == fx.tree_leaves(TREE) and treedef == fx.tree_structure(TREE)
    texts = [fx.path_str(path) for path, _ in leaves]
    assert texts == [path for path, _ in fx.tree_leaves_with_path(TREE)]
    assert {"['list'][1][0]", "['pair'].second['deep']", "['layer'].w", "['interval'].high[0]"} <= set(texts)
    for path, leaf in leaves:
        here: Any = TREE
        for key in path:
            if isinstance(key, SequenceKey):
                here = here[key.idx]
            elif isinstance(key, DictKey):
                here = here[key.key]
            elif isinstance(key, GetAttrKey):
                here = getattr(here, key.name)
            else:
                here = (here.low, here.high)[key.key]
        assert here == leaf
    assert fx.tree_flatten_with_path([1, 2], is_leaf=lambda x: True)[0] == [((), [1, 2])]
    paths = dict(leaves)  # keys are hashable
    assert paths[DictKey("list"), SequenceKey(0)] == 1
    assert fx.tree_leaves_with_path({"a": [1, 2]}, is_leaf=lambda x: isinstance(x, list)) == [("['a']", [1, 2])]
    refusal(TreeError, "have no order", of=lambda: fx.tree_flatten_with_path({1: 2, "a": 3}))


def test_map_with_path() -> None:
    mapped: Any = fx.tree_map_with_path(lambda path, x, y: (fx.path_str(path), x + y), {"a": [1, 2]}, {"a": [10, 20]})
    assert mapped == {"a": [("['a'][0]", 11), ("['a'][1]", 22)]}
    words = ("tree_map_with_path: tree 2", "['b'] is missing")
    refusal(TreeError, *words, of=lambda: fx.tree_map_with_path(lambda p, x, y: x, {"a": 1, "b": 2}, {"a": 1}))


def test_keys_name_children_in_messages() -> None:
    words = "tree_map: tree 2 differs at .high: expected a list"
    refusal(TreeError, words, of=lambda: fx.tree_map(lambda x, y: x, Interval(1, [2]), Interval(1, (2,))))
    refusal(ArgumentError, "argument i.low", of=lambda: jit(lambda i: i.high)(Interval("a", 1.0)))


@pytest.mark.parametrize("outer", [[0, 0], (0, 0), {"a": 0, "b": 0}, Pair(0, {"c": 0}), Interval(0, 0)])
@pytest.mark.parametrize("inner", [[0, 0, 0], {"x": (0, 0), "y": [0]}, Layer([0, 0, 0], 0.5)])
def test_transpose(outer: Any, inner: Any) -> None:
    count = iter(range(100))
    o, i = fx.tree_structure(outer), fx.tree_structure(inner)
    tree = fx.tree_map(lambda _: fx.tree_map(lambda _: next(count), inner), outer)
    across = fx.tree_transpose(o, i, tree)
    assert fx.tree_structure(across) == fx.tree_structure(fx.tree_map(lambda _: outer, inner))
    assert fx.tree_leaves(fx.tree_transpose(i, o, across)) == fx.tree_leaves(tree)
    rows = [fx.tree_leaves(part) for part in o.flatten_up_to(tree)]
    assert fx.tree_leaves(across) == [row[j] for j in range(3) for row in rows]
    assert fx.tree_leaves(fx.tree_transpose(o, None, tree)) == fx.tree_leaves(across)


def test_transpose_refuses() -> None:
    pair, leaf = fx.tree_structure((0, 0)), fx.tree_structure(0)
    words = "tree_transpose: the outer structure differs at the top: expected a tuple"
    refusal(TreeError, words, of=lambda: fx.tree_transpose(pair, pair, [1, 2]))
    words = "tree_transpose: the inner structure at [1] differs at the top: expected a tuple"
    refusal(TreeError, words, of=lambda: fx.tree_transpose(pair, pair, ((1, 2), 3)))
    one: Any = (0, 0)
    refusal(ArgumentError, "outer must be the structure of a tree", of=lambda: fx.tree_transpose(one, pair, one))
    refusal(ArgumentError, "inner must be the structure of a tree", of=lambda: fx.tree_transpose(pair, one, one))
    refusal(TreeError, "has no leaves", of=lambda: fx.tree_transpose(fx.tree_structure(()), None, ()))
    assert fx.tree_transpose(leaf, pair, (1, 2)) == (1, 2)


def test_broadcast() -> None:
    assert fx.tree_broadcast(1, {"a": [2, 3]}) == {"a": [1, 1]}
    assert fx.tree_broadcast((0, {"a": 1}), ([5, 6], {"a": (7, 8)})) == ([0, 0], {"a": (1, 1)})
    assert fx.tree_broadcast([None, 1], [None, (2, 3)]) == [None, (1, 1)]
    words = ("tree_broadcast: the tree", "differs at ['a']: expected a tuple")
    refusal(TreeError, *words, of=lambda: fx.tree_broadcast({"a": (1, 2)}, {"a": [1, 2]}))
    refusal(TreeError, "['b'] is missing", of=lambda: fx.tree_broadcast({"a": 1, "b": 2}, {"a": 1}))


PARAMS: Final = {"w": fx.asarray([[1.0, 2.0], [3.0, 4.0]]), "b": fx.asarray(5.0), "none": None, "empty": fx.zeros(0)}
WRAPS: Final[dict[str, Callable[[Any], Any]]] = {
    "as it is": lambda f: f,
    "jit": jit,
    "checkpoint": checkpoint,
    "vmap": lambda f: lambda p: fx.tree_map(lambda y: y[0], vmap(f)(fx.tree_map(lambda x: fx.stack([x, x]), p))),
    "scan": lambda f: lambda p: fx.tree_map(lambda y: y[0], scan(lambda c, _: (c, f(p)), 0.0, length=1)[1]),
}


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_ravel(wrap: Any) -> None:
    params: Any = PARAMS
    flat, unravel = fx.ravel_pytree(params)
    np.testing.assert_array_equal(np.asarray(wrap(lambda p: fx.ravel_pytree(p)[0])(PARAMS)), [5.0, 1.0, 2.0, 3.0, 4.0])
    back = wrap(unravel)(flat)
    assert fx.tree_structure(back) == fx.tree_structure(PARAMS)
    assert all([fx.all(x == y) for x, y in zip(fx.tree_leaves(back), fx.tree_leaves(PARAMS), strict=True)])
    loss: Any = lambda flat: fx.sum(unravel(flat)["w"] ** 3) * unravel(flat)["b"]
    by_tree = grad(lambda p: fx.sum(p["w"] ** 3) * p["b"])(PARAMS)
    np.testing.assert_allclose(np.asarray(wrap(grad(loss))(flat)), np.asarray(fx.ravel_pytree(by_tree)[0]))
    assert wrap(hessian(loss))(flat).shape == (5, 5)
    np.testing.assert_allclose(
        np.asarray(jvp(wrap(loss), (flat,), (flat,))[1]), np.asarray(fx.sum(grad(loss)(flat) * flat))
    )


def test_ravel_of_several_dtypes() -> None:
    tree: list[Any] = [fx.asarray([1, 2], fx.int32), fx.asarray(0.5, fx.float32), fx.asarray(True), 1.5 + 2j]
    flat, unravel = fx.ravel_pytree(tree)
    assert flat.dtype is fx.complex128 and fx.all(flat == fx.asarray([1, 2, 0.5, 1, 1.5 + 2j]))
    back = unravel(flat)
    assert [x.dtype for x in back] == [fx.int32, fx.float32, fx.bool, fx.complex128]
    assert all([fx.all(x == y) for x, y in zip(back, tree, strict=True)])
    assert fx.ravel_pytree({})[0].shape == (0,) and fx.ravel_pytree({})[1](fx.zeros(0)) == {}
    refusal(ShapeError, "unravel: flat must have shape [5], got complex128[4]", of=lambda: unravel(flat[:4]))
    refusal(DTypeError, "unravel: flat must be complex128, got float64[5]", of=lambda: unravel(fx.zeros(5)))
    refusal(ArgumentError, "ravel_pytree: tree['a'] must be an array", of=lambda: fx.ravel_pytree({"a": "b"}))


def test_unravel_is_a_static_argument() -> None:
    traces = 0

    def apply(unravel: Any, flat: Any) -> Any:
        nonlocal traces
        traces += 1
        return unravel(flat)

    apply_jitted: Any = jit(apply, static_argnums=0)
    for scale in (1.0, 2.0):
        flat, unravel = fx.ravel_pytree({"w": scale * fx.ones(3), "b": 2.0})
        apply_jitted(unravel, flat)
    assert traces == 1
    assert hash(fx.ravel_pytree(1.0)[1]) == hash(fx.ravel_pytree(2.0)[1])


def scaled(factor: Any, x: Any, offset: Any = 0.0) -> Any:
    return factor * x + offset


def test_partial() -> None:
    f = fx.Partial(scaled, 2.0, offset=1.0)
    assert f(3.0) == 7 and f(3.0, offset=0.0) == 6
    assert [path for path, _ in fx.tree_leaves_with_path(f)] == [".args[0]", ".keywords['offset']"]
    doubled = fx.tree_map(lambda x: 2 * x, f)
    assert type(doubled) is fx.Partial and doubled(3.0) == 14
    traces = 0

    def apply(f: Any, x: Any) -> Any:
        nonlocal traces
        traces += 1
        return f(x)

    apply_jitted: Any = jit(apply)
    assert [apply_jitted(fx.Partial(scaled, k, offset=1.0), 3.0).item() for k in (1.0, 2.0, 3.0)] == [4, 7, 10]
    assert traces == 1
    assert grad(lambda f: f(3.0))(f).args == (3,) and grad(lambda f: f(3.0))(f).keywords == {"offset": 1}
    made: Any = jit(lambda k: fx.Partial(scaled, k))(5.0)
    assert made(2.0) == 10
    lanes = vmap(lambda k: fx.Partial(scaled, k))(fx.asarray([1.0, 2.0]))
    assert fx.all(vmap(lambda f: f(3.0))(lanes) == fx.asarray([3.0, 6.0]))
    step = lambda f, _: (fx.Partial(scaled, f.args[0] * 2.0), f(1.0))
    assert scan(step, fx.Partial(scaled, 1.0), length=3)[1][-1] == 4
    again: Any = pickle.loads(pickle.dumps(f))
    assert again(3.0) == 7 and type(again) is fx.Partial


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
@pytest.mark.parametrize("tree", [TREE, 1, None, {}, [Layer([1], 0.5)], fx.Partial(scaled, 1.0)])
def test_structures_are_copied_and_pickled(again: Any, tree: Any) -> None:
    treedef = fx.tree_structure(tree)
    copied = again(treedef)
    assert copied == treedef and hash(copied) == hash(treedef)
    leaves = fx.tree_leaves(tree)
    assert fx.tree_leaves(fx.tree_unflatten(copied, leaves)) == leaves
    assert fx.tree_structure(fx.tree_unflatten(copied, leaves)) == treedef


def no_dataclass() -> None:
    fx.register(Interval)  # here


def not_even_a_class() -> None:
    number: Any = 3
    fx.register(number)  # here


def an_instance() -> None:
    layer: Any = Layer(1.0, 0.1)
    fx.register(layer)  # here


def no_field() -> None:
    fx.register(static=["rat"])(dataclasses.make_dataclass("Model", ["w", "rate"]))  # here


def node_again() -> None:
    fx.register_node(Plain, lambda i: ((i.low, i.high), None), lambda _, ends: Plain(*ends))  # here


def dataclass_again() -> None:
    fx.register(static=["rate"])(Layer)  # here


@pytest.mark.parametrize(
    ("words", "bad"),
    [
        ("register takes a dataclass, got <class 'tests.laws.test_tree_functions.Interval'>", no_dataclass),
        ("register takes a dataclass, got 3; use register_node", not_even_a_class),
        ("register takes a dataclass, got Layer(w=1.0, rate=0.1); use register_node", an_instance),
        ("register: static: rat is not a field of Model (w, rate)", no_field),
        ("register_node: Plain is a pytree already; a class is registered once", node_again),
        ("register: Layer is a pytree already; a class is registered once", dataclass_again),
    ],
)
def test_classes_that_are_registered(words: str, bad: Callable[[], object]) -> None:
    refusal(ArgumentError, words, of=bad)


class Failing:
    """A node that cannot be taken apart, in one way or another."""

    def __init__(self, how: str) -> None:
        self.how = how


def _taken_apart(node: Failing) -> Any:
    if node.how == "raises":
        raise KeyError("mine")
    if node.how == "deep":
        return [nested(5000, 1.0)], None
    return [node] if node.how == "itself" else [1.0], None


def _named(node: Failing) -> Any:
    raise KeyError("mine")


def nested(depth: int, tree: object) -> object:
    for _ in range(depth):
        tree = [tree]
    return tree


fx.register_node(Failing, _taken_apart, lambda how, _: Failing(str(how)), keys=_named)


def with_is_leaf(tree: object) -> object:
    return fx.tree_flatten(tree, lambda node: isinstance(node, Failing) and _named(node) is None)


FAILING: Final[list[object]] = [Failing("raises"), Failing("deep"), Failing("keys"), {1: 2, "a": 3}, nested(5000, 1.0)]


@pytest.mark.parametrize("tree", FAILING, ids=["raises", "deep", "keys", "no order", "too deep"])
@pytest.mark.parametrize("walk", [fx.tree_flatten, fx.tree_leaves_with_path, jit(lambda tree: 1.0), with_is_leaf])
def test_an_error_costs_a_thread_none_of_its_depth(walk: Any, tree: object) -> None:
    def often() -> Any:
        for _ in range(20):  # of 100 levels each, where there are 1,500
            with contextlib.suppress(TreeError, KeyError):
                walk(nested(100, tree))
        return walk(nested(400, 1.0))

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(often).result()


def test_a_node_that_holds_itself_leaves_a_thread_room() -> None:
    def once() -> Any:
        with pytest.raises(TreeError, match="contains itself"):
            fx.tree_flatten(Failing("itself"))
        with pytest.raises(TreeError, match="contains itself"):
            jit(lambda tree: 1.0)(Failing("itself"))
        return fx.tree_leaves(nested(400, 1.0))

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(once).result() == [1.0]
