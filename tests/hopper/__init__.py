"""Hopper's instructions, held beside an H100's recorded results."""
