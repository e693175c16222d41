"""`python -m loopx`."""

from loopx.main import run

run()
