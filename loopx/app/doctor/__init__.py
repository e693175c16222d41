"""`doctor`: is the state what its history says, and does anything in it wait for ever?"""
