"""What the clients talk to, each as long as its block runs: nginx, a server that never answers, errandd."""

import contextlib
import gzip
import json
import pathlib
import os
import shutil
import socket
import string
import subprocess
import sys
import tempfile

from building import BUILT, ROOT
from certificates import make_certificates
from machine import file_limit
from processes import accepts, comes_up, free_ports, process

BODY = '{"status": "success", "info": {"id": 1042, "name": "sample"}}'
LARGE_BODY_BYTES = 1_048_576
TEXT_BYTES = 102_400
ENVELOPE_BYTES = 1_024
PORTS = ["plain", "tls", "http2", "resumed", "full"]

# One cipher suite, so that no client is measured with a cheaper one than another.
NGINX = string.Template("""
daemon off; master_process off; pid $folder/pid; error_log $folder/error.log crit; worker_rlimit_nofile $files;
events { worker_connections $files; }
http {
  access_log off; keepalive_requests 1000000000; keepalive_timeout 1h; default_type application/json; sendfile on;
  client_body_temp_path $folder/body; proxy_temp_path $folder/proxy; fastcgi_temp_path $folder/fastcgi;
  uwsgi_temp_path $folder/uwsgi; scgi_temp_path $folder/scgi;
  ssl_certificate $folder/server.pem; ssl_certificate_key $folder/server.key;
  ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
  log_format handshake "$$uri $$ssl_session_reused"; root $folder/files;
  server { listen 127.0.0.1:$plain backlog=4096; location / { return 200 '$body'; } location = /large { }
    location = /envelope { return 200 '$envelope'; } location = /text.gz { default_type text/plain; add_header Content-Encoding gzip; } }
  server { listen 127.0.0.1:$tls ssl backlog=4096; location / { return 200 '$body'; } }
  server { listen 127.0.0.1:$http2 ssl http2 backlog=4096; http2_max_concurrent_streams $streams; location / { return 200 '$body'; } }
  server {
    listen 127.0.0.1:$resumed ssl backlog=4096; keepalive_timeout 0; ssl_session_tickets on;
    location / { return 200 '$body'; access_log $folder/handshakes.log handshake buffer=64k flush=100ms; }
  }
  server {
    listen 127.0.0.1:$full ssl backlog=4096; keepalive_timeout 0; ssl_session_tickets off; ssl_session_cache off;
    location / { return 200 '$body'; access_log $folder/handshakes.log handshake buffer=64k flush=100ms; }
  }
}
""")


class Nginx:
    """Where it listens, one port for each way to talk to it.

    `plain`, `tls` and `http2` keep connections alive. `resumed` and `full` close each after its one answer, the second of them never
    resuming a session: that way every client does the same work, whatever switches it has.
    """

    # nginx's own default.
    STREAMS = 128

    def __init__(self, folder, ports):
        self.ca = pathlib.Path(folder, "ca.pem")
        self.plain, self.tls, self.http2, self.resumed, self.full = (
            f"{'http' if name == 'plain' else 'https'}://127.0.0.1:{port}/" for name, port in ports.items()
        )
        self.large, self.envelope, self.text = (self.plain + path for path in ("large", "envelope", "text.gz"))
        self.text_file = pathlib.Path(folder, "files", "text.gz")
        self.handshakes = pathlib.Path(folder, "handshakes.log")


@contextlib.contextmanager
def nginx(cores):
    program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    with tempfile.TemporaryDirectory(prefix="errand-bench-") as folder, contextlib.ExitStack() as stack:
        make_certificates(folder)
        files = pathlib.Path(folder, "files")
        files.mkdir()
        (files / "large").write_bytes(os.urandom(LARGE_BODY_BYTES))
        (files / "text.gz").write_bytes(gzip.compress(text(), mtime=0))
        for _ in range(5):
            ports = dict(zip(PORTS, free_ports(len(PORTS))))
            settings = {"folder": folder, "files": min(file_limit(), 65_536), "body": BODY, "envelope": envelope(), "streams": Nginx.STREAMS}
            pathlib.Path(folder, "nginx.conf").write_text(NGINX.substitute(settings, **ports))
            command = [program, "-e", f"{folder}/error.log", "-p", folder, "-c", f"{folder}/nginx.conf"]
            child = stack.enter_context(process(cores.on_server(command), stderr=subprocess.DEVNULL))
            if comes_up(lambda: accepts(socket.AF_INET, ("127.0.0.1", ports["plain"])), child, "nginx"):
                yield Nginx(folder, ports)
                return
        sys.exit("bench: nginx does not start: " + pathlib.Path(folder, "error.log").read_text())


def text():
    """English, of which the project has most in its documents."""
    pages = b"".join(page.read_bytes() for page in sorted(ROOT.glob("docs/**/*.md")))
    return (pages * (TEXT_BYTES // len(pages) + 1))[:TEXT_BYTES]


def envelope():
    """A list of items, in a service's envelope of just that size."""
    items = [{"id": number, "name": f"item {number}", "price": number * 1.25, "tags": ["a", "b"], "isNew": number % 2 == 0} for number in range(12)]
    answer = {"code": "0", "msg": "ok", "data": {"items": items, "rest": ""}}
    answer["data"]["rest"] = "x" * (ENVELOPE_BYTES - len(json.dumps(answer)))
    return json.dumps(answer)


@contextlib.contextmanager
def hold_server(cores, ports):
    """A server that never answers: its control port and the others."""
    with process(cores.on_server([BUILT / "hold-server", ports]), stdout=subprocess.PIPE, text=True) as child:
        control, *others = map(int, child.stdout.readline().split())
        yield control, others


@contextlib.contextmanager
def daemon(cores, program):
    """errandd with its defaults, on the clients' core: its socket and process id."""
    with tempfile.TemporaryDirectory(prefix="errandd-bench-") as folder:
        path = f"{folder}/socket"
        log = open(f"{folder}/log", "w+")
        command = cores.on_client([program, "--socket", path, "--state-dir", folder])
        with log, process(command, stdout=log, stderr=log) as child:
            if not comes_up(lambda: accepts(socket.AF_UNIX, path), child, "errandd"):
                log.seek(0)
                sys.exit(f"bench: errandd does not start: {log.read()}")
            yield path, child.pid
