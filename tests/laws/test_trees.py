"""Pytrees: taking apart and putting together are inverse, and `tree_map` is a functor."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import given, strategies as st

from effects import tree_flatten, tree_leaves, tree_leaves_with_path, tree_map, tree_structure, tree_unflatten
from tests.laws.expressions import many


class Pair(NamedTuple):
    first: Any
    second: Any


def nested(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return (
        st.lists(children, max_size=3)
        | st.lists(children, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from("abcd"), children, max_size=3)
        | st.builds(Pair, children, children)
    )


trees = st.recursive(st.none() | st.integers(), nested, max_leaves=12)


@many
@given(tree=trees)
def test_flatten_and_unflatten_are_inverse(tree: Any) -> None:
    leaves, treedef = tree_flatten(tree)
    again = tree_unflatten(treedef, leaves)
    assert again == tree
    assert type(again) is type(tree)
    assert tree_flatten(again) == (leaves, treedef)
    assert hash(tree_structure(again)) == hash(treedef)


@many
@given(tree=trees)
def test_tree_map_is_a_functor(tree: Any) -> None:
    assert tree_map(lambda x: x, tree) == tree
    assert tree_map(str, tree_map(lambda x: x + 1, tree)) == tree_map(lambda x: str(x + 1), tree)
    assert tree_structure(tree_map(str, tree)) == tree_structure(tree)


@many
@given(tree=trees)
def test_paths_lead_to_the_leaves(tree: Any) -> None:
    named = tree_leaves_with_path(tree)
    assert [leaf for _, leaf in named] == tree_leaves(tree)
    for path, leaf in named:
        assert eval(f"tree{path}", {"tree": tree}) == leaf
