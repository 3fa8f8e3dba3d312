"""Wrong dtypes, numbers and arguments, in programs that say no shapes."""

import effects as fx
from effects import Array, Scalar


def result(a: Array[fx.f32], b: Array[fx.f32], i: Array[fx.i32], x: Array) -> Array[fx.i32]:
    one: Array[fx.i32] = a + b  # E: expression has type "Array[float32, Any]", variable has type "Array[int32, Any]"
    two: Array[fx.i32] = i / 2  # E: variable has type "Array[int32, Any]"
    three: Array[fx.i32] = i / i  # E: variable has type "Array[int32, Any]"
    four: Array[fx.i32] = fx.maximum(a, 0.0)  # E: variable has type "Array[int32, Any]"
    eight: Array[fx.f64] = a / b  # E: variable has type "Array[float64, Any]"
    nine: Array[fx.f32] = a == b  # E: variable has type "Array[float32, Any]"
    ten: Array[fx.i32] = fx.sqrt(i)  # E: variable has type "Array[int32, Any]"
    eleven: Array[fx.f64] = abs(a)  # E: Argument 1 to "abs" has incompatible type "Array[float32, Any]"
    twelve: Array[fx.f64] = a.real  # E: variable has type "Array[float64, Any]"
    thirteen: Array[fx.f64] = a.max(axis=0)  # E: variable has type "Array[float64, Any]"
    return a - b  # E: got "Array[float32, Any]", expected "Array[int32, Any]"


def total(i: Array[fx.i32]) -> Scalar[fx.i32]:
    return i.sum()  # E: got "Array[int64, tuple[()]]", expected "Array[int32, tuple[()]]"


def mean(i: Array[fx.i32]) -> Scalar[fx.i32]:
    return fx.mean(i)  # E: got "Array[float64, tuple[()]]", expected "Array[int32, tuple[()]]"


def arguments(a: Array[fx.f32], x: Array, i: Array[fx.i32]) -> None:
    x & 1.5  # E: No overload variant matches argument type "float"
    fx.bitwise_and(x, 1.5)  # E: No overload variant of "bitwise_and" matches argument types
    fx.add(x, "1")  # E: No overload variant of "add" matches argument types
    fx.maximum(x)  # E: No overload variant of "maximum" matches argument type
    fx.sum(x, 0)  # E: No overload variant of "sum" matches argument types
    x.sum(dim=0)  # E: Unexpected keyword argument "dim" for overloaded function "sum" of "Folding"
    x.shape["0"]  # E: No overload variant of "__getitem__" of "tuple" matches argument type "str"
    x.shape[0].sizes  # E: "int" has no attribute "sizes"
    x.shape = (3,)  # E: "shape"
    a.item().sizes  # E: "float" has no attribute "sizes"
    i.item().sizes  # E: "int" has no attribute "sizes"
    name: str = a.item()  # E: expression has type "float", variable has type "str"
    x.astype(3)  # E: No overload variant of "astype" of "Array" matches argument type "int"
    x.clip("0")  # E: No overload variant of "clip" of "Array" matches argument type "str"
    fx.clip(x, low=0)  # E: Unexpected keyword argument "low" for overloaded function "clip"
    fx.where(x > 0, x)  # E: No overload variant of "where" matches argument types
    fx.sin(x, x)  # E: No overload variant of "sin" matches argument types
