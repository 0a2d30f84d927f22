"""The parts of tools/generate_hip_abi.py: what hip-python declares, what it knows, and the headers made of that."""
