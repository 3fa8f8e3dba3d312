"""Operations as XLA compiles them best for CPUs, where that is not the plain way to say them.

Whether a program is written so is one question, `Functions.tuned`; programs for other platforms, and portable ones,
have the plain form, which is beside each of the rules that ask it.
"""
