"""Parts of a memory pack: what a human lets agents know of a project.

There are no hooks here yet, so no host loads any of it.
"""
