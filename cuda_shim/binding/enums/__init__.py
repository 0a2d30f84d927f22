"""Enum classes, their translation to and from HIP's numbers, and hallucination."""
