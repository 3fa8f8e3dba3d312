"""The library without its types, for the programs that a type checker refuses: those that the tests here run."""

from __future__ import annotations

from importlib import import_module
from typing import Any

fx: Any = import_module("effects")
handlers: Any = import_module("handlers")
lowering: Any = import_module("lowering")

cond, eval_shape, grad, hessian = handlers.cond, handlers.eval_shape, handlers.grad, handlers.hessian
jacfwd, jacrev, jvp, linearize = handlers.jacfwd, handlers.jacrev, handlers.jvp, handlers.linearize
linear_transpose, make_jaxpr = handlers.linear_transpose, handlers.make_jaxpr
partial_eval_jaxpr, value_and_grad = handlers.partial_eval_jaxpr, handlers.value_and_grad
scan, stop_gradient, while_loop = handlers.scan, handlers.stop_gradient, handlers.while_loop
vjp, vmap = handlers.vjp, handlers.vmap
block_until_ready, device_put, devices, jit = (
    lowering.block_until_ready,
    lowering.device_put,
    lowering.devices,
    lowering.jit,
)
