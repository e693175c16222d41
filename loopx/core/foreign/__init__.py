"""What other tools write down about work, read into one form (pure: bytes in, values out).

A reader is a module with `wants(path, is_folder)`, which says what of a folder it reads, and
`read(files, options)`, which returns a `Reading`. `loopx/app/import_formats.py` lists them.
"""
