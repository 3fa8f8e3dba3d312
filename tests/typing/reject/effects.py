"""Wrong programs with effects, wrong handlers."""

from abc import abstractmethod

import effects as fx
from effects import Array, ArrayLike, Effect
from handlers import (
    EffectHandler,
    Merging,
    Reading,
    catching,
    enumerated,
    handled,
    with_output,
    with_raise,
    with_reader,
    with_state,
)


def centred(stats: fx.State[Array], x: Array) -> Array:
    stats.put("a")  # E: Argument 1 to "put" of "State" has incompatible type
    stats.reset()  # E: "State[Array[Any, Any]]" has no attribute "reset"
    stats.modify(lambda s: 1)  # E: Incompatible return value type
    return x - stats.get()


def emitting(out: fx.Output, x: Array) -> Array:
    out.emit(x, "a")  # E: Argument 1 to "emit" of "Output" has incompatible type
    return x


def failing(errors: fx.Raise[str], x: Array) -> Array:
    errors.check(x > 0, 3)  # E: Argument 2 to "check" of "Raise" has incompatible type
    return x


x = fx.ones(2)
centred(x)  # E: Missing positional argument "x"
with_state(centred, x)()  # E: Too few arguments
with_state(centred, x)(x, x)  # E: Too many arguments
with_state(centred, "a")(x)  # E: Cannot infer value of type parameter
with_output(centred)(x)  # E: Argument 1 to "with_output" has incompatible type
with_state(emitting, x)(x)  # E: Argument 1 to "with_state" has incompatible type
with_raise(failing)(x).failure().real  # E: "str" has no attribute "real"
catching(failing)(x).value.shape  # E: Item "None" of "Array[Any, Any] | None" has no attribute "shape"
enumerated(failing)(x)  # E: Argument 1 to "enumerated" has incompatible type


class Cost(Effect):
    @abstractmethod
    def charge(self, amount: ArrayLike) -> None: ...


class Forgetful(EffectHandler[Array], Cost):
    pass


class Writing(Reading[Array], Cost):
    def charge(self, amount: ArrayLike) -> None:
        self.state = self.state + amount  # E: Property "state" defined in "Reading" is read-only


class Wrong(EffectHandler[Array], Cost):
    def charge(self, amount: int) -> None:  # E: Argument 1 of "charge" is incompatible with supertype "Cost"
        self.state = amount  # E: Incompatible types in assignment


def work(cost: Cost, x: Array) -> Array:
    cost.charg(x)  # E: "Cost" has no attribute "charg"
    return x


handled(Forgetful(x), work, x)  # E: Cannot instantiate abstract class "Forgetful"
handled(Wrong(x), emitting, x)  # E: Cannot infer value of type parameter "E" of "handled"
Cost()  # E: Cannot instantiate abstract class "Cost"
