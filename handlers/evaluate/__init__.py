"""Evaluation: what operations mean on concrete arrays. The root of every chain.

Host arrays are computed by NumPy with XLA's semantics (integer division by zero, saturating casts, …), so that a
function gives the same values compiled and not. Operations that NumPy does not have, and arrays that live on an
accelerator, go to the backend's executor of single operations.
"""

from effects.arrays.array import Array
from effects.arrays.concrete import OnAccelerator, backend
from effects.errors import EffaxError, OutOfMemoryError
from effects.program.chain import Performed
from effects.program.operation import Operation
from effects.runtime.memory_errors import lacks_memory
from handlers.evaluate.rules import RULES, refuse_foreign, refuse_ill_typed

__all__ = ["evaluate"]

RULES.rules_in(__name__)


def evaluate(op: Operation[Array]) -> Performed:
    """Compute `op` now.

    Raises LeakedValueError when an operand is the carrier of a handler that is not in this chain, and what the
    operation's type rule raises when the operands do not fit.
    """
    try:
        return RULES[type(op)](op)
    except OnAccelerator:
        return backend().execute(op)
    except AttributeError:
        refuse_foreign(op)
        raise
    except (ValueError, TypeError, MemoryError) as error:  # NumPy's own words: ours come from the type rule
        if isinstance(error, EffaxError):  # of what computes an operand
            raise
        refuse_ill_typed(op)
        if lacks_memory(error):
            raise OutOfMemoryError(
                f"{op.name} gives {op.types()}, for which there is not enough memory: {error}"
            ) from None
        raise
