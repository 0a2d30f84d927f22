"""An identity for communicators, with nccl4py."""

import nccl.core

print("works:", nccl.core.get_unique_id())
