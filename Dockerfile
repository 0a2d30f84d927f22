# CUDA Python programs on the cores of the machine, with the README's commands.
FROM python:3.12-slim AS development
# The tests ask git for the files of the checkout.
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home user
USER user
WORKDIR /home/user/cuda_shim

FROM development
COPY --chown=user . .
# The example builds the CPU runtime into the user's cache, so that programs in the container start without a build.
RUN python3 -m venv .venv && .venv/bin/pip install ".[cpu]" numpy && .venv/bin/python -m cuda_shim run examples/saxpy.py
ENTRYPOINT ["/home/user/cuda_shim/.venv/bin/python", "-m", "cuda_shim"]
CMD ["doctor"]
