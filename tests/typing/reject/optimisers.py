"""Optimisers: a state given to another transformation, updates of other parameters."""

import effects as fx

params = {"w": fx.ones(2)}
adam, momentum = fx.optim.adam(0.1), fx.optim.momentum(0.1)
state = adam.init(params)
momentum.update(params, state, params)  # E: has incompatible type "tuple[Moments, StepCount]"
(adam >> momentum).update(params, state, params)  # E: incompatible type
fx.optim.apply_updates(params, params["w"]).keys()  # E: "keys"
fx.optim.sgd("0.1")  # E: incompatible type "str"
adam >> fx.optim.adam  # E: Unsupported operand types for >>
fx.optim.adamw(0.1, weight_decay="a")  # E: incompatible type "str"
fx.optim.every(2.5, adam)  # E: incompatible type "float"
