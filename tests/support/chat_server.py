"""A small OpenAI-compatible server as a process of its own, whose answers a test has written down before.

Run as a program it prints its address and serves `POST /v1/chat/completions` on loopback until its standard
input closes. Each request takes the next step of the script of its model; a step says a text, calls tools,
fails with a status, drops the connection, or says nothing for ever. In arguments, `$name` stands for the newest
value of that key that the conversation has brought (such as `$claim_token`). `/control` sets scripts and
tells what was asked.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Step = dict[str, Any]


# --- what a test says ---------------------------------------------------------------------


def says(text: str) -> Step:
    """An answer in words, which ends the run."""
    return {"text": text}


def calls(name: str, **arguments: Any) -> Step:
    """A call of one tool."""
    return {"calls": [[name, json.dumps(arguments)]]}


def calls_raw(name: str, arguments: str) -> Step:
    """A call whose arguments are exactly this text, which need be no JSON."""
    return {"calls": [[name, arguments]]}


def fails(status: int, **headers: str) -> Step:
    """A refusal by the server; it asks to be tried again at once where it may be."""
    return {"status": status, "headers": {"retry-after-ms": "1", **headers}}


DROPS: Step = {"drop": True}
HANGS: Step = {"hang": True}


class ChatServer:
    """The running process, as a test steers it."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.url = f"{base}/v1"

    def script(self, *steps: Step, model: str = "scripted") -> None:
        """What the model will do, a step a request; what was asked before is forgotten."""
        self._control({"model": model, "steps": steps})

    def requests(self) -> list[dict[str, Any]]:
        """The requests since the last script, each with `path`, `key` and `body`."""
        answer = self._control({})
        assert isinstance(answer, list)
        return answer

    def _control(self, order: dict[str, Any]) -> Any:
        data = json.dumps(order).encode()
        request = urllib.request.Request(f"{self.base}/control", data=data)
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """A server process for the length of the block."""
    argv = [sys.executable, "-m", "tests.support.chat_server"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield ChatServer(process.stdout.readline().strip())
        finally:
            process.stdin.close()
            process.wait(timeout=30)


# --- what the process does ----------------------------------------------------------------


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.lock = threading.Lock()
        self.scripts: dict[str, list[Step]] = {}
        self.asked: list[dict[str, Any]] = []


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/control":
            self._send(200, self._steered(body))
            return
        with self.server.lock:
            self.server.asked.append({"path": self.path, "key": self.headers["authorization"], "body": body})
            steps = self.server.scripts.get(body["model"], [])
            step = steps.pop(0) if steps else {"status": 400, "headers": {}}
        self._act(step, body)

    def _steered(self, order: dict[str, Any]) -> Any:
        with self.server.lock:
            if order:
                self.server.scripts[order["model"]] = list(order["steps"])
                self.server.asked = []
            return self.server.asked

    def _act(self, step: Step, body: dict[str, Any]) -> None:
        if step.get("hang"):
            self.rfile.read(1)  # until the other side goes
        if step.get("drop") or step.get("hang"):
            self.close_connection = True
            self.connection.close()
        elif "status" in step:
            self._send(step["status"], {"error": {"message": "scripted failure"}}, step["headers"])
        else:
            self._send(200, _completion(step, body))

    def _send(self, status: int, document: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(data))}.items():
            self.send_header(name, value)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Say nothing."""


def _completion(step: Step, body: dict[str, Any]) -> dict[str, Any]:
    number = len(body["messages"])
    tool_calls = [
        {"id": f"call_{number}_{at}", "type": "function", "function": {"name": name, "arguments": _filled(text, body)}}
        for at, (name, text) in enumerate(step.get("calls", ()))
    ]
    message = {"role": "assistant", "content": step.get("text"), **({"tool_calls": tool_calls} if tool_calls else {})}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_767_225_600,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if tool_calls else "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def _filled(arguments: str, body: dict[str, Any]) -> str:
    """The arguments with `$name` replaced by what the conversation says last under that key."""
    heard = "\n".join(str(message.get("content")) for message in body["messages"])

    def newest(match: re.Match[str]) -> str:
        found = re.findall(rf'"{match[1]}": ?"([^"]*)"', heard)
        return found[-1] if found else match[0]

    return re.sub(r"\$([a-z_]+)", newest, arguments)


def _serve() -> None:
    server = _Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"http://127.0.0.1:{server.server_address[1]}\n")
    sys.stdout.flush()
    sys.stdin.read()
    server.shutdown()


if __name__ == "__main__":
    _serve()
