"""Speed of effax beside jax, autograd and NumPy, on the same programs in one run: `make bench`.

`harness` times, `programs` holds what is timed, `backends` the libraries it is written for, one `measure_*` file per
group of measures, `report` the table and the JSON file. Nothing here is a test, and no test measures time.
"""
