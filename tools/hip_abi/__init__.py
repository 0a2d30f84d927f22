"""The parts of tools/generate_hip_abi.py: hip-python's declarations, its facts, and the headers made of them."""
