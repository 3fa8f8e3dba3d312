"""Rematerialisation: `checkpoint` trades memory for work, and the handler `Remat` does so for jitted functions.

A policy decides which values of the forward pass a derivative saves (`checkpoint_policies`); `saved_residuals` shows
it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Hashable, Sequence
from typing import Any, Final, cast, final

from effects.arguments import check_callable, flag, function_name, refusal, shown
from effects.arrays.array import Array, ArrayLike
from effects.arrays.promotion import as_array
from effects.errors import ArgumentError
from effects.operations.checkpoint import Checkpoint, Name, Policy
from effects.operations.higher_order import Call
from effects.program.chain import Performed, WithoutCarriers, current, perform
from effects.program.operation import Operation
from effects.trees.pytree import tree_flatten, tree_unflatten
from handlers.transformations.calls.arguments import as_arrays, named_after
from handlers.transformations.calls.disabling import called
from handlers.transformations.calls.staging import stage_tree
from handlers.transformations.calls.static_arguments import Signature
from handlers.transformations.calls.types import F
from handlers.transformations.memory.checkpoint_policies import nothing_saveable


def checkpoint(
    f: F | None = None,
    /,
    *,
    policy: Policy | None = None,
    prevent_cse: bool = True,
    static_argnums: int | Sequence[int] | None = (),
    static_argnames: str | Sequence[str] | None = (),
) -> F:
    """`f`, of which reverse mode saves only the arguments and what `policy` allows; it recomputes the rest.

    Values and derivatives of every order are those of `f`. A policy (see `checkpoint_policies`) decides whether the
    results of an operation may be saved; without one, none are. `f` takes and returns pytrees, is staged at every call,
    and may close over arrays, which are saved like arguments. Without derivatives it is a call.

    With `prevent_cse` the compiler may not merge the repeated work with the forward pass. In the body of a loop it
    cannot do so anyway, and False lets it fuse more. Static arguments (`static_argnums`, `static_argnames`) are Python
    values in `f`, as for `jit`, but need not be hashable. Also a decorator with arguments: `@checkpoint(policy=...)`.

    Raises ArgumentError when `f` or `policy` is not a function, when a policy does not take one operation or does not
    return a bool, for positions and names that `f` does not have and for static arguments that are arrays.

    >>> import effects as fx
    >>> from handlers import grad
    >>> grad(checkpoint(lambda x: fx.sin(fx.sin(x))))(0.0)
    Array(1., float64)
    """
    policy = nothing_saveable if policy is None else _checked_policy("checkpoint", policy)
    prevent_cse = flag("checkpoint", "prevent_cse", prevent_cse)
    if f is None:
        decorator = functools.partial(
            checkpoint,
            policy=policy,
            prevent_cse=prevent_cse,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
        )
        return cast(F, decorator)
    check_callable("checkpoint", f)
    signature, label = Signature.of("checkpoint", f, static_argnums, static_argnames), function_name(f)

    @named_after(f, "checkpoint", decorates=True)
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        args, kwargs, static = signature.split(args, kwargs, hashed=False)
        leaves, treedef = tree_flatten((args, kwargs))
        names = functools.partial(signature.names, static, args, kwargs)
        arrays = as_arrays("checkpoint", leaves, names)
        if current().eager:
            return called("checkpoint", signature.partial(static), *tree_unflatten(treedef, arrays))
        staged = stage_tree(signature.partial(static), [a.aval for a in arrays], treedef, "checkpoint", names)
        operands = (*staged.captured, *arrays)
        body = staged.jaxpr.shared()
        results = perform(Checkpoint(body, policy, label, prevent_cse, False, operands))
        return tree_unflatten(staged.out_tree, results)

    return cast(F, checkpointed)


def _checked_policy(function: str, policy: object) -> Policy:
    """The policy, if it can be called with an operation; else ArgumentError."""
    if not callable(policy):
        raise refusal(function, "policy", "a function from an operation to a bool", policy)
    if not isinstance(policy, Hashable):
        raise refusal(function, "policy", "hashable", policy, "programs with it are found by it")
    try:
        inspect.signature(policy).bind(None)
    except TypeError as error:
        raise ArgumentError(
            f"{function}: policy {function_name(policy)} is called with one argument, an operation: {error}"
        ) from None
    except ValueError:
        pass  # the parameters of a built-in function are unknown
    return policy


remat: Final = checkpoint
"""Another name of `checkpoint`."""


def checkpoint_name(x: ArrayLike, name: str) -> Array:
    """`x` itself, marked with `name` for the policy `save_only_these_names`.

    Raises ArgumentError for a name that is not a string.

    >>> checkpoint_name(2.0, "hidden")
    Array(2., float64)
    """
    if not isinstance(name, str):
        raise ArgumentError(f"checkpoint_name: name must be a string, got {shown(name)}")
    return perform(Name(name, as_array(x, "checkpoint_name", "x")))


@final
class Remat(WithoutCarriers):
    """Treats jitted calls in its extent as checkpoints: `checkpoint` as a handler.

    A model whose layers are jitted functions is rematerialised layer by layer, without a change to the model. Calls
    inside those calls are part of them.

    >>> import effects as fx
    >>> from handlers import grad
    >>> from lowering import jit
    >>> layer = jit(fx.sin)
    >>> def model(x):
    ...     with Remat():
    ...         return layer(layer(x))
    >>> grad(model)(0.0)
    Array(1., float64)
    """

    sees_all = True

    def __init__(self, policy: Policy = nothing_saveable, prevent_cse: bool = True) -> None:
        self.policy: Final = _checked_policy("Remat", policy)
        self.prevent_cse: Final = flag("Remat", "prevent_cse", prevent_cse)

    def interpret(self, op: Operation[Array], /) -> Performed:
        if type(op) is Call:
            op = Checkpoint(op.body, self.policy, op.label, self.prevent_cse, False, op.operands_)
        return perform(op)
