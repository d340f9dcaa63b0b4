"""Builds what is compared: Errand's programs in release mode, and the peers."""

import pathlib

from machine import say
from processes import run_quietly

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PEERS = ROOT / "Benchmarks" / "peers"
BUILT = ROOT / ".build" / "bench"
# As scripts/run builds: the runtime linked in, which saves each call of it a detour.
SWIFT_BUILD = ["swift", "build", "-c", "release", "--static-swift-stdlib"]
C_COMPILER = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror"]
SWIFT_COMPILER = ["swiftc", "-O", "-swift-version", "6"]


def build(clients):
    """The folder with our own release binaries, everything in it and in BUILT being up to date."""
    BUILT.mkdir(parents=True, exist_ok=True)
    compile_peer("hold-server", "hold-server.c", C_COMPILER)
    if "libcurl" in clients or "libcurl-tuned" in clients:
        compile_peer("curl-multi", "curl-multi.c", C_COMPILER, ["-lcurl"])
    if "zlib" in clients:
        compile_peer("inflate", "inflate.c", C_COMPILER, ["-lz"])
    if "urlsession" in clients:
        compile_peer("urlsession", "urlsession.swift", SWIFT_COMPILER)
    for client, product in (("errand", "errand-bench"), ("errandd", "errandd")):
        if client in clients:
            say(f"building {product}")
            run_quietly([*SWIFT_BUILD, "--product", product], cwd=ROOT)
    return pathlib.Path(run_quietly([*SWIFT_BUILD, "--show-bin-path"], cwd=ROOT).strip())


def compile_peer(name, source, compiler, libraries=()):
    target, source = BUILT / name, PEERS / source
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        say(f"building {name}")
        run_quietly([*compiler, source, "-o", target, *libraries], cwd=ROOT)
