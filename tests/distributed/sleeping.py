"""A process that sleeps until it is told to end."""

import os
import time

if __name__ == "__main__":
    print(os.getpid(), flush=True)
    time.sleep(60)
