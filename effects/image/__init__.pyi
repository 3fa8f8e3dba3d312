"""The public names of `effects.image`, each with the module that has it."""

from effects.image.resizing import resize as resize
