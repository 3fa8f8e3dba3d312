"""What a program is: operations, the chain that gives them their meaning, and programs as values."""
