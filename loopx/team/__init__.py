"""Workers: agents that find ready work by themselves; the only asynchronous code."""
