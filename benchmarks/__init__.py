"""Measurements. Every timing is a ratio to a yardstick that is measured beside it."""
