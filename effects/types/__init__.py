"""What is known of an array before it is computed: dtypes, shapes, abstract values, and types for the checker."""
