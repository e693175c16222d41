"""Codecs between values and documents; the schemas live in `schemas/`."""
