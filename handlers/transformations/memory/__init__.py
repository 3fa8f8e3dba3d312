"""Memory of derivatives: residuals, and checkpoints that recompute them."""
