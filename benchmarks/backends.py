"""The libraries under comparison, each as one record with the same fields, so that a program is written once.

`np` is the NumPy-like namespace that programs are written against. A library that neither traces nor compiles is a
`Backend` only, and the measures that need more leave it out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import autograd
import autograd.numpy
import jax
import jax.numpy as jnp
import jax.scipy.linalg
import numpy

import effects as fx
import handlers
import lowering
from benchmarks.namespace import Arrays, Compiled, Control, Function, Namespace, Traced, Value

jax.config.update("jax_platforms", "cpu")


@dataclass(frozen=True)
class Backend:
    """A NumPy-like namespace with `grad`."""

    name: str
    np: Namespace
    grad: Callable[[Function], Function]


@dataclass(frozen=True)
class Compiler(Backend):
    """A backend that traces and compiles.

    `arrays` has what the libraries call differently, `control` is a namespace with `scan`, `while_loop`, `fori_loop`
    and `cond`. `random` has `key(seed)`, and draws of a key, a shape and a dtype; `linalg`, `fft` and `special` have
    functions of NumPy's and SciPy's names, `stats` its distributions, `nn` activations; `functions` is the whole of
    the namespace that `np` says a part of. `jvp(f, primals, tangents)` gives the value and its tangent.
    `trace(f, *args)` gives an object with `lower()`, which gives one with `compile()`, which gives a callable.
    `temporaries(compiled)` is the bytes that a call needs beside arguments and results.
    `forget()` drops what the library remembers of earlier programs.
    """

    control: Control
    arrays: Arrays
    jvp: Function
    vmap: Callable[[Function], Function]
    hessian: Callable[[Function], Function]
    value_and_grad: Callable[[Function], Function]
    make_jaxpr: Callable[[Function], Function]
    random: Any
    linalg: Any
    fft: Any
    special: Any
    stats: Any
    nn: Any
    functions: Any
    jit: Callable[..., Function]
    trace: Callable[..., Traced]
    put: Callable[[Value], Value]
    block: Callable[[Value], Value]
    temporaries: Callable[[Compiled], int]
    forget: Callable[[], None]


class OfEffax:
    """`Arrays` of effax."""

    def top_k(self, x: Value, k: int, /) -> Sequence[Value]:
        return fx.top_k(x, k)

    def conv(self, images: Value, kernel: Value, /) -> Value:
        return fx.conv(images, kernel, padding="same")


class OfJax:
    """`Arrays` of jax."""

    def top_k(self, x: Value, k: int, /) -> Sequence[Value]:
        pair: Sequence[Value] = jax.lax.top_k(x, k)
        return pair

    def conv(self, images: Value, kernel: Value, /) -> Value:
        return jax.lax.conv(images, kernel, (1, 1), "SAME")


def no_gradient(function: Function) -> Function:
    """Stand-in for `grad` in a backend without derivatives."""
    raise NotImplementedError(f"no gradient of {function}")


EFFAX = Compiler(
    name="effax",
    np=fx,
    grad=handlers.grad,
    control=handlers,
    arrays=OfEffax(),
    jvp=handlers.jvp,
    vmap=handlers.vmap,
    hessian=handlers.hessian,
    value_and_grad=handlers.value_and_grad,
    make_jaxpr=handlers.make_jaxpr,
    random=fx.random,
    linalg=fx.linalg,
    fft=fx.fft,
    special=fx.special,
    stats=fx.stats,
    nn=fx.nn,
    functions=fx,
    jit=lowering.jit,
    trace=lambda f, *args: lowering.jit(f).trace(*args),
    put=lowering.device_put,
    block=lowering.block_until_ready,
    temporaries=lambda compiled: compiled.memory_analysis().temporaries,
    forget=lambda: None,  # a program it has not met, which the measures take care of, is cold
)
JAX = Compiler(
    name="jax",
    np=jnp,
    grad=jax.grad,
    control=jax.lax,
    arrays=OfJax(),
    jvp=jax.jvp,
    vmap=jax.vmap,
    hessian=jax.hessian,
    value_and_grad=jax.value_and_grad,
    make_jaxpr=jax.make_jaxpr,
    random=jax.random,
    linalg=SimpleNamespace(**{**vars(jax.scipy.linalg), **vars(jnp.linalg)}),
    fft=jnp.fft,
    special=jax.scipy.special,
    stats=jax.scipy.stats,
    nn=jax.nn,
    functions=jnp,
    jit=jax.jit,
    trace=lambda f, *args: jax.jit(f).trace(*args),
    put=jax.device_put,
    block=jax.block_until_ready,
    temporaries=lambda compiled: compiled.memory_analysis().temp_size_in_bytes,
    forget=jax.clear_caches,
)
AUTOGRAD = Backend(name="autograd", np=autograd.numpy, grad=autograd.grad)
NUMPY = Backend(name="numpy", np=numpy, grad=no_gradient)
COMPILERS = (EFFAX, JAX)
