"""Wrong dtypes, numbers and arguments, in programs that say no shapes."""

import effects as fx
from effects import F32, Array, Scalar
from handlers import writing


class N: ...


def result(a: Array[fx.f32], b: Array[fx.f32], i: Array[fx.i32], x: Array) -> Array[fx.i32]:
    one: Array[fx.i32] = a + b  # E: expression has type "Array[float32, Any]"
    two: Array[fx.i32] = i / 2  # E: variable has type "Array[int32, Any]"
    three: Array[fx.i32] = i / i  # E: variable has type "Array[int32, Any]"
    four: Array[fx.i32] = fx.maximum(a, 0.0)  # E: Callable[[float], Gives[int32, Any]]
    eight: Array[fx.f64] = a / b  # E: expression has type "Array[float32, Any]"
    nine: Array[fx.f32] = a == b  # E: variable has type "Array[float32, Any]"
    ten: Array[fx.i32] = fx.sqrt(i)  # E: variable has type "Array[int32, Any]"
    eleven: Array[fx.f64] = abs(a)  # E: Argument 1 to "abs" has incompatible type "Array[float32, Any]"
    twelve: Array[fx.f64] = a.real  # E: variable has type "Array[float64, Any]"
    thirteen: Array[fx.f64] = a.max(axis=0)  # E: variable has type "Array[float64, Any]"
    fourteen: Array[fx.f64] = fx.where(a > 0, a, b)  # E: has incompatible type "Array[float32, Any]"
    fifteen: Array[fx.f64] = fx.stack([a, b])  # E: type "Array[Exactly[float32], Any]"
    sixteen: Array[fx.f64] = fx.concat([a, b])  # E: type "Array[Exactly[float32], Any]"
    seventeen: Array[fx.f64] = fx.add(a, b)  # E: has incompatible type "Array[float32, Any]"
    eighteen: Array[fx.f64] = a @ b  # E: of "Times" has incompatible type "Array[float32, Any]"
    return a - b  # E: got "Array[float32, Any]"


def declared(a: Array[fx.f32], b: Array[fx.f32], i: Array[fx.i32], p: Array[fx.bool], m: F32[N]) -> Array[fx.f64]:
    z: Array[fx.f64]
    z = fx.maximum(a, 0.0)  # E: has incompatible type "Array[float32, Any]"
    z = fx.minimum(0, a)  # E: has incompatible type "Array[float32, Any]"
    z = fx.divide(a, b)  # E: has incompatible type "Array[float32, Any]"
    z = fx.divide(a, 2)  # E: has incompatible type "Array[float32, Any]"
    z = fx.divide(1, a)  # E: has incompatible type "Array[float32, Any]"
    z = fx.where(p, a, 0.0)  # E: has incompatible type "Array[float32, Any]"
    z = fx.where(p, 0.0, a)  # E: has incompatible type "Array[float32, Any]"
    z = fx.where(True, a, b)  # E: has incompatible type "Array[float32, Any]"
    z = fx.where(p, m, a)  # E: has incompatible type "Array[float32, tuple[N]]"
    z = fx.abs(a)  # E: Argument 1 to "__call__" of "OfAbs"
    z = fx.sin(a)  # E: "sin" has incompatible type "Array[float32, Any]"
    z = fx.clip(a, 0.0)  # E: has type "Array[Exactly[float32], Any]"
    z = fx.matmul(m, m)  # E: has incompatible type "Array[float32, tuple[N]]"
    z = fx.vecdot(a, b)  # E: Cannot infer value of type parameter "DT" of "__call__" of "OfVecDot"
    z = fx.outer(a, b)  # E: Cannot infer value of type parameter "DT" of "__call__" of "OfOuter"
    z = fx.tensordot(a, b)  # E: Cannot infer value of type parameter "DT" of "__call__" of "OfTensorDot"
    z = fx.einsum("i,i", a, b)  # E: Cannot infer value of type parameter "DT" of "einsum"
    u: Array[fx.u8]
    u = fx.add(i, 1)  # E: has incompatible type "Array[int32, Any]"
    u = fx.bitwise_and(i, i)  # E: Callable[[Array[int32, Any]], Gives[uint8, Any]]
    u = fx.bitwise_xor(1, i)  # E: has incompatible type "Array[int32, Any]"
    u = fx.where(p, i, 0)  # E: has incompatible type "Array[int32, Any]"
    u = fx.where(p, 0, i)  # E: has incompatible type "Array[int32, Any]"
    u = fx.clip(i, 0)  # E: has type "Array[Exactly[int32], Any]"
    return fx.add(a, a)  # E: has incompatible type "Array[float32, Any]"


def total(i: Array[fx.i32]) -> Scalar[fx.i32]:
    return i.sum()  # E: got "Array[int64, tuple[()]]", expected "Array[int32, tuple[()]]"


def mean(i: Array[fx.i32]) -> Scalar[fx.i32]:
    return fx.mean(i)  # E: got "Array[float64, tuple[()]]", expected "Array[int32, tuple[()]]"


def arguments(a: Array[fx.f32], x: Array, i: Array[fx.i32]) -> None:
    a & a  # E: has incompatible type "Array[float32, Any]"
    a | a  # E: has incompatible type "Array[float32, Any]"
    a << 1  # E: "__call__" of "Operator" has incompatible type "int"
    ~a  # E: Invalid self argument "Array[float32, Any]" to attribute function "__invert__"
    a @ 2.0  # E: has incompatible type "float"; expected "Meets[float32, Any, Any]
    2.0 @ a  # E: Argument 1 has incompatible type "float"
    fx.matmul(a, 2.0)  # E: "__call__" of "OfMatMul" matches argument types
    fx.bitwise_invert(a)  # E: Argument 1 to "bitwise_invert" has incompatible type "Array[float32, Any]"
    a["x"]  # E: Invalid index type "str"
    a[0, "x"]  # E: Invalid index type "tuple[int, str]"
    a[1.5]  # E: Invalid index type "float"
    a.at["x"].set(1.0)  # E: Invalid index type "str"
    a[a]  # E: Invalid index type "Array[float32, Any]"
    a.at[a].set(1.0)  # E: Invalid index type "Array[float32, Any]"
    fx.sum(a, where=a)  # E: Argument "where" to "sum" has incompatible type "Array[float32, Any]"
    fx.mean(a, where=i)  # E: Argument "where" to "average" has incompatible type "Array[int32, Any]"
    fx.any(a, where=a)  # E: Argument "where" to "any" has incompatible type "Array[float32, Any]"
    a.max(where=a)  # E: has incompatible type "Array[float32, Any]"
    i.at[0].set(a)  # E: Argument 1 to "set" of "Place" has incompatible type "Array[float32, Any]"
    i.at[0].add(a[0])  # E: Argument 1 to "add" of "Place" has incompatible type "Array[float32, Any]"
    i.at[0].set(1.5)  # E: Argument 1 to "set" of "Place" has incompatible type "float"
    i.at[0].multiply(0.5)  # E: Argument 1 to "multiply" of "Place" has incompatible type "float"
    a.at[0].set(1j)  # E: Argument 1 to "set" of "Place" has incompatible type "complex"
    fx.take(a, 1.5)  # E: Argument 2 to "take" has incompatible type "float"
    fx.take(a, a)  # E: Argument 2 to "take" has incompatible type "Array[float32, Any]"
    fx.take_along_axis(a, a, 0)  # E: Argument 2 to "take_along_axis" has incompatible type "Array[float32, Any]"
    fx.bincount(a)  # E: Argument 1 to "bincount" has incompatible type "Array[float32, Any]"
    fx.segment_sum(a, a)  # E: Argument 2 to "segment_sum" has incompatible type "Array[float32, Any]"
    fx.gcd(a, a)  # E: has incompatible type "Array[float32, Any]"
    fx.nn.one_hot(a, 3)  # E: Argument 1 to "one_hot" has incompatible type "Array[float32, Any]"
    fx.nn.dot_product_attention(a, a, a, mask=a)  # E: Argument "mask" to "dot_product_attention"
    fx.histogram(a, bins=2.5)  # E: Argument "bins" to "histogram" has incompatible type "float"
    x & 1.5  # E: has incompatible type "float"
    fx.bitwise_and(x, 1.5)  # E: expected "HasOperator[Bitwise, Callable[[float], Gives[float64, Any]]]"
    fx.add(x, "1")  # E: Value of type variable "Y" of "__call__" of "OfPair" cannot be "str"
    fx.maximum(x)  # E: "__call__" of "OfPair" matches argument type
    fx.sum(x, dim=0)  # E: Argument "dim" to "sum" has incompatible type "int"
    x.sum(dim=0)  # E: no argument of this name
    x.shape["0"]  # E: No overload variant of "__getitem__" of "tuple" matches argument type "str"
    x.shape[0].sizes  # E: "int" has no attribute "sizes"
    x.shape = (3,)  # E: "shape"
    a.item().sizes  # E: "float" has no attribute "sizes"
    i.item().sizes  # E: "int" has no attribute "sizes"
    name: str = a.item()  # E: expression has type "float", variable has type "str"
    x.astype(3)  # E: Argument 1 to "astype" of "Array"
    x.clip("0")  # E: No overload variant of "clip" of "Array" matches argument type "str"
    fx.clip(x, low=0)  # E: Argument "low" to "clip" has incompatible type "int"
    fx.where(x > 0, x)  # E: No overload variant of "__call__" of "OfChoice" matches argument types
    fx.sin(x, x)  # E: No overload variant of "sin" matches argument types


def meeting(a: Array[fx.f32], u: Array[fx.f64], i: Array[fx.i32], case: int) -> Array[fx.f32]:
    if case == 0:
        return a + u  # E: has incompatible type "Array[float64, Any]"
    if case == 1:
        return a * i  # E: has incompatible type "Array[int32, Any]"
    if case == 2:
        return a * 1j  # E: got "Array[complex64, Any]", expected "Array[float32, Any]"
    return u / a  # E: has incompatible type "Array[float32, Any]"


def assigned() -> None:
    with writing() as xp:
        xp.zeros(3)[0] = "a"  # E: expression has type "str", target has type
        xp.ones(3).nothing  # E: has no attribute "nothing"
