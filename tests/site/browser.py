"""A headless browser that runs a script beside the pages of a folder."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

_PAGE: Final = """<!doctype html><meta charset="utf-8"><body><script>
const wait = ms => new Promise(done => setTimeout(done, ms));
async function page(path, width, scripts = true) {
  document.querySelector("iframe")?.remove();
  const frame = document.createElement("iframe");
  if (!scripts) frame.sandbox = "allow-same-origin";
  frame.style = `width: ${width}px; height: 800px; border: 0`;
  const loaded = new Promise(done => frame.onload = done);
  frame.src = path;
  document.body.append(frame);
  await loaded;
  return frame.contentWindow;
}
(async () => { SCRIPT })().catch(error => ({error: String(error)})).then(async result => {
  document.querySelector("iframe")?.remove();
  await fetch("/result", {method: "POST", body: JSON.stringify(result)});
});
</script></body>"""


class _Handler(SimpleHTTPRequestHandler):
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.path != "/script":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.server.page.encode())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        self.server.result = json.loads(body)
        self.server.answered.set()


class _Server(ThreadingHTTPServer):
    def __init__(self, folder: Path, script: str) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
        self.page = _PAGE.replace("SCRIPT", script)
        self.answered = threading.Event()
        self.result: object = None


def evaluate(folder: Path, script: str) -> object:
    """Result of an asynchronous script, which opens pages of the folder by `await page(path, width, scripts)`.

    Without their scripts pages load in a third of the time.
    """
    assert CHROMIUM is not None
    with _Server(folder, script) as server, TemporaryDirectory() as profile:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        browser = subprocess.Popen(
            [CHROMIUM, *options, f"http://127.0.0.1:{server.server_port}/script"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            assert server.answered.wait(120), "the browser gave no answer"
            return server.result
        finally:
            browser.terminate()
            browser.wait()
            server.shutdown()
            thread.join()
