"""What the effects of the library mean: one file for the handlers of each."""
