"""What tests lean on: the command from outside and inside, fakes for time and chance, the contracts."""
