"""What is measured: a module each, with `run(bench)`."""

from measures import bodies, envelope, gzip, handshakes, http2, in_flight, journal, keep_alive, queue, tls

# In the order in which they run.
ALL = {
    "keep-alive": keep_alive.run,
    "tls": tls.run,
    "http2": http2.run,
    "handshakes": handshakes.run,
    "bodies": bodies.run,
    "gzip": gzip.run,
    "envelope": envelope.run,
    "queue": queue.run,
    "in-flight": in_flight.run,
    "journal": journal.run,
}
QUICK = ["keep-alive", "tls", "http2", "in-flight", "journal"]
