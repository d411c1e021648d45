"""Shows a built site on this machine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from rmqref.errors import SiteError
from rmqref.messages import text

HOST = "127.0.0.1"
"""Nobody else can reach it."""


class Handler(SimpleHTTPRequestHandler):
    """Serves files without a word, with the types that a browser insists on."""

    extensions_map = {  # noqa: RUF012  # as the class above has it
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".whl": "application/zip",
    }

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # named as in the class above
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """A server whose readers may leave before they have everything."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a browser breaks off what it does not need any more."""


def server_of(folder: Path, port: int) -> Server:
    """Return a server of a built site; it does not serve yet.

    Args:
        folder: the site's folder.
        port: its port on this machine; 0 for any free one.

    Raises:
        SiteError: there is no site in the folder, or the port cannot be had.
    """
    if not (folder / "index.html").is_file():
        raise SiteError("site.error.served", folder=str(folder))
    try:
        return Server((HOST, port), partial(Handler, directory=str(folder)))
    except (OSError, OverflowError) as problem:
        raise SiteError("site.error.port", port=port, problem=str(problem)) from problem


def serve(folder: Path, port: int, say: Callable[[str], None]) -> None:
    """Show a built site until the process is interrupted.

    Args:
        folder: the site's folder.
        port: its port on this machine; 0 for any free one.
        say: is told the address.

    Raises:
        SiteError: there is no site in the folder, or the port cannot be had.
    """
    with server_of(folder, port) as server:
        say(text("site.say.serve", address=f"http://{HOST}:{server.server_port}/"))
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
