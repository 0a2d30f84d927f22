"""Run cells in a real Jupyter kernel: a JSON list of them on stdin, a JSON list of their outputs on stdout."""

from __future__ import annotations

import json
import sys
from typing import Any

from jupyter_client.manager import start_new_kernel


def said(message: dict[str, Any]) -> str:
    content: dict[str, Any] = message["content"]
    if message["msg_type"] == "stream":
        return str(content["text"])
    if message["msg_type"] == "error":
        return f"{content['ename']}: {content['evalue']}"
    return str(content.get("data", {}).get("text/plain", ""))


def main() -> None:
    manager, client = start_new_kernel(kernel_name="python3")
    answers = []
    try:
        for cell in json.load(sys.stdin):
            messages: list[dict[str, Any]] = []
            client.execute_interactive(cell, timeout=120, output_hook=messages.append)
            answers.append("".join(map(said, messages)))
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
