"""Programs as files: StableHLO that runs without the function that it was made of."""
