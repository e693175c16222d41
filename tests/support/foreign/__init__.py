"""Synthetic files of other tools in the sizes and with the oddities that real ones have; equal seeds, equal bytes."""
