"""The operations: one file per family, one class per regular family or per structural operation.

An operation is data with a type rule. What it means lives in the handlers; how it is called (promotion, argument
checking) in `effects.functions`.
"""
