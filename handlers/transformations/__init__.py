"""The transformations that users call: functions in, functions or values out, each by installing handlers."""
