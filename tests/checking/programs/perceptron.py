"""A perceptron: layers in tuples and lists, a loss, a step of training."""

from typing import NamedTuple

import effects as fx
from effects import F32, I64, Scalar, nn
from handlers import grad, value_and_grad, vmap
from lowering import jit


class Layer[I, O](NamedTuple):
    w: F32[I, O]
    b: F32[O]

    def __call__[N](self, x: F32[N, I]) -> F32[N, O]:
        return x @ self.w + self.b


type MLP[I, H, O] = tuple[Layer[I, H], Layer[H, O]]


def predict[N, I, H, O](model: MLP[I, H, O], x: F32[N, I]) -> F32[N, O]:
    first, second = model
    return second(nn.relu(first(x)))


def predict_in_wrong_order[N, I, H, O](model: MLP[I, H, O], x: F32[N, I]) -> F32[N, O]:
    first, second = model
    return first(nn.relu(second(x)))  # E: shape


def predict_by_one[N, I, H, O](model: MLP[I, H, O], x: F32[N, I]) -> F32[N, O]:
    return nn.relu(model[0](x))  # E: shape


def loss[N, I, H, O](model: MLP[I, H, O], x: F32[N, I], y: F32[N, O]) -> Scalar[fx.f32]:
    return fx.mean((predict(model, x) - y) ** 2)


def loss_of_each[N, I, H, O](model: MLP[I, H, O], x: F32[N, I], y: F32[N, O]) -> Scalar[fx.f32]:
    return fx.mean((predict(model, x) - y) ** 2, axis=-1)  # E: shape


def loss_of_labels[N, I, H, O](model: MLP[I, H, O], x: F32[N, I], y: I64[N]) -> Scalar[fx.f32]:
    likely = nn.log_softmax(predict(model, x))
    return -fx.mean(fx.take_along_axis(likely, y[:, None], axis=1))


def loss_of_labels_without_axis[N, I, H, O](model: MLP[I, H, O], x: F32[N, I], y: I64[N]) -> Scalar[fx.f32]:
    likely = nn.log_softmax(predict(model, x))
    return -fx.mean(fx.take_along_axis(likely, y, axis=1))  # E: shape


@jit
def step[N, I, H, O](model: MLP[I, H, O], x: F32[N, I], y: F32[N, O]) -> MLP[I, H, O]:
    slope = grad(loss)(model, x, y)
    return fx.tree_map(lambda p, g: p - 0.1 * g, model, slope)


def two_steps[N, I, H, O](model: MLP[I, H, O], x: F32[N, I], y: F32[N, O]) -> MLP[I, H, O]:
    return step(step(model, x, y), x, y)


def step_with_arguments_exchanged[N, I, H, O](model: MLP[I, H, O], x: F32[N, I], y: F32[N, O]) -> MLP[I, H, O]:
    return step(model, y, x)  # E: shape


def slope_of_each[N, I, H, O](model: MLP[I, H, O], x: F32[N, I], y: F32[N, O]) -> MLP[I, H, O]:
    return grad(lambda m: fx.mean((predict(m, x) - y) ** 2, axis=0))(model)  # E: shape


def trained[N, I, H, O](model: MLP[I, H, O], x: F32[N, I], y: F32[N, O]) -> tuple[MLP[I, H, O], Scalar[fx.f32]]:
    value, slope = value_and_grad(loss)(model, x, y)
    return fx.tree_map(lambda p, g: p - 0.1 * g, model, slope), value


def trained_without_value[N, I, H, O](
    model: MLP[I, H, O], x: F32[N, I], y: F32[N, O]
) -> tuple[MLP[I, H, O], Scalar[fx.f32]]:
    value, slope = value_and_grad(loss)(model, x, y)
    return slope, slope[0].b  # E: shape


def deep[N, D](layers: list[Layer[D, D]], x: F32[N, D]) -> F32[N, D]:
    for layer in layers:
        x = x + nn.relu(layer(x))
    return x


def deep_by_transposes[N, D](layers: list[Layer[D, D]], x: F32[N, D]) -> F32[N, D]:
    for layer in layers:
        x = nn.relu(layer(x.T))  # E: shape
    return x


def pair[N, D](layers: list[Layer[D, D]], x: F32[N, D]) -> F32[N, D]:
    first, second = layers
    return second(first(x))


def slopes_of_examples[N, I, H, O](model: MLP[I, H, O], x: F32[N, I], y: F32[N, O]) -> F32[N, H]:
    one = lambda a, b: grad(loss)(model, a[None], b[None])[0].b
    return vmap(one)(x, y)


def slopes_of_one_example[N, I, H, O](model: MLP[I, H, O], x: F32[N, I], y: F32[N, O]) -> F32[N, H]:
    one = lambda a, b: grad(loss)(model, a, b)[0].b  # E: shape
    return vmap(one)(x, y)


def over_other_axis[N, I, H, O](model: MLP[I, H, O], x: F32[N, I], y: F32[N, O]) -> F32[N, H]:
    one = lambda a, b: grad(loss)(model, a[None], b[None])[0].b
    return vmap(one, in_axes=(1, 0))(x, y)  # E: shape
