"""Types of arrays, known before they are computed: dtypes, shapes, abstract values, and types for the checker."""
