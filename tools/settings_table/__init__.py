"""The parts of tools/generate_settings.py: the strict reader of the table, and the texts that are made of its rows."""
