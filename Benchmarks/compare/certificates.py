"""A certificate authority of this run's own, and a certificate of it for 127.0.0.1."""

import pathlib

from processes import run_quietly

NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


def make_certificates(folder):
    """Writes ca.pem, server.pem and server.key, all on P-256."""
    folder = pathlib.Path(folder)
    request = ["openssl", "req", *NEW_KEY, "-subj"]
    run_quietly([*request, "/CN=Errand bench CA", "-x509", "-days", "2", "-keyout", folder / "ca.key", "-out", folder / "ca.pem"])
    run_quietly([*request, "/CN=127.0.0.1", "-keyout", folder / "server.key", "-out", folder / "server.csr"])
    extensions = folder / "server.ext"
    extensions.write_text("subjectAltName = IP:127.0.0.1\nbasicConstraints = critical, CA:FALSE\nextendedKeyUsage = serverAuth\n")
    sign = ["openssl", "x509", "-req", "-days", "2", "-in", folder / "server.csr", "-extfile", extensions, "-out", folder / "server.pem"]
    run_quietly([*sign, "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key", "-CAcreateserial"])
