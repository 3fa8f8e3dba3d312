"""Integers and arrays are no keys, and keys are no arrays."""

import effects as fx
from effects import random

key = random.key(0)

random.normal(0, (3,))  # E: Argument 1 to "normal" has incompatible type "int"
random.split(fx.zeros(2, fx.u32))  # E: Argument 1 to "split" has incompatible type "Array[uint32, Any]"; expected "Key"
fx.sin(key)  # E: No overload variant of "sin" matches argument type "Key"
key + 1  # E: Unsupported operand types for + ("Key" and "int")
key.data = fx.zeros(2, fx.u64)  # E: Property
random.Key(fx.zeros(2))  # E: Too many arguments for "Key"
random.normal(key, (3,), fx.int32)  # E: Value of type variable "XT" of "normal" cannot be "int32"
random.uniform(key, (3,), fx.complex64)  # E: Value of type variable "FT" of "uniform" cannot be "complex64"
random.bits(key, (3,), fx.int32)  # E: Value of type variable "UT" of "bits" cannot be "int32"
random.randint(key, (3,), 0, 1.5)  # E: Argument 4 to "randint" has incompatible type "float"
random.randint(key, (3,), 0, 5, fx.float32)  # E: Value of type variable "IT" of "randint" cannot be "float32"
random.key(1.5)  # E: Argument 1 to "key" has incompatible type "float"
random.fold_in(key, 1.5)  # E: Argument 2 to "fold_in" has incompatible type "float"
