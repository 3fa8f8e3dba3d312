"""Operations in the form that XLA compiles best for CPUs, where that differs from the plain form.

`Functions.tuned` selects it. Programs for other platforms, and portable ones, have the plain form, in the files of the
rules.
"""
