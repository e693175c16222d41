"""Pure rules: values in, values out. No I/O, clock, chance or framework is imported here."""
