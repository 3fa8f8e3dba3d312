"""Discrete Fourier transforms: the names of the Array API standard and NumPy.

    from effects import fft                     # or fx.fft

Transforms are along one axis (`fft`), two (`fft2`) or any (`fftn`), of complex numbers or of real ones (`rfft`, whose
result has the half that the other half follows from). `norm` says where a transform of N elements and its inverse are
divided: `"backward"` (the default) divides the inverse by N, `"forward"` the other, `"ortho"` both by √N. Single
precision stays single, integers become the default float, narrower floats single precision.

All of them are linear. Derivatives of complex numbers are those of `grad` everywhere: ∂f/∂x - i ∂f/∂y.
"""

from effects.runtime.names import public

__getattr__, __dir__, __all__ = public(__name__)
