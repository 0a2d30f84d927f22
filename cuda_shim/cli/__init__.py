"""The command line: ``python -m cuda_shim VERB`` and ``cuda-shim VERB``, one file a verb."""
