"""Programs that the tests of the folder above compile or start."""
