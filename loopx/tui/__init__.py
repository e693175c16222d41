"""The terminal board: lanes, the user's questions and their answers, on the use cases of every other edge."""
