"""Higher-order operations, a row each: the file of an operation has its rules under every handler.

`restaging` is the rule by which any forward handler goes through them. `rows` registers them all; a rule table imports
it when an operation first needs a rule of these.
"""
