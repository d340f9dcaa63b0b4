"""What the project has set itself: figure, direction, bound."""

TARGETS = {
    "throughput at 64 / wrk": (">=", 0.85),
    "CPU per request at 64 / wrk": ("<=", 1.3),
    "throughput at 1000 / wrk": (">=", 0.85),
    "throughput at 64 / libcurl": (">=", 3.0),
    "throughput at 1000 / libcurl": (">=", 5.0),
    "throughput at 64 / urlsession": (">=", 40.0),
    "errandd CPU per request / library": ("<=", 5.0),
    "throughput over TLS at 64 / wrk": (">=", 0.85),
    "throughput over TLS at 64 / libcurl": (">=", 2.0),
    "throughput over HTTP/2 at 64 / h2load": (">=", 0.6),
    "throughput over HTTP/2 at 64 / libcurl": (">=", 2.0),
    "throughput over HTTP/2 at 1000 / h2load": (">=", 0.6),
    "throughput over HTTP/2 at 1000 / libcurl": (">=", 2.0),
    "throughput of 1 MiB bodies / wrk": (">=", 1.0),
    "throughput of 1 MiB bodies / best libcurl": (">=", 0.8),
    "speed of decoding 100 KiB of gzip / zlib": (">=", 0.8),
    "throughput of 1 KiB envelopes / wrk": (">=", 0.7),
    "CPU per request at 100000 queued / 1000": ("<=", 1.3),
    "memory per request in flight": ("<=", 2048.0),
    "cancel of those in flight / close": ("<=", 1.3),
}
