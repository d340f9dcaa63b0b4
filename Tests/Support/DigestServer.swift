/// A server in Python that asks for Digest (RFC 7616, RFC 2069), checks every answer with code of its own, and writes down what it saw.
///
/// Lines of its output: `port N`, then for each request `seen STATUS METHOD TARGET WHY AUTHORIZATION`, where `WHY` is `ok`, `none`, `stale`, `wrong`, `replayed` or
/// `uri`. As a proxy it looks at Proxy-Authorization, answers absolute targets itself, and opens tunnels for CONNECT.
public enum DigestServer {
  /// What it is told, as arguments after the script.
  public struct Settings: Sendable {
    public var realm = "test"
    public var user = "Mufasa"
    public var password = "Circle of Life"
    /// A challenge for each, in this order; an empty name is a challenge without `algorithm`.
    public var algorithms = ["MD5"]
    /// Empty: no `qop`, as in RFC 2069.
    public var qop = "auth"
    /// Added to each challenge, such as `, userhash=true`.
    public var more = ""
    /// Uses of a nonce until it is stale.
    public var uses = 1_000_000
    /// Gives the same nonce to all until it is stale, as servers do whose nonces are made of the time.
    public var sharesNonce = false
    /// Announces a nonce with each answer.
    public var nextNonce = false
    public var isProxy = false

    public init() {}
  }

  public static func start(_ settings: Settings = Settings()) throws -> PeerProcess {
    try PeerProcess([
      "python3", "-u", "-c", script, settings.realm, settings.user, settings.password, settings.algorithms.joined(separator: ","),
      settings.qop,
      settings.more, "\(settings.uses)", settings.nextNonce ? "1" : "", settings.isProxy ? "1" : "",
      settings.sharesNonce ? "1" : "",
    ])
  }

  static let script = #"""
    import hashlib, http.server, os, socket, sys, threading, urllib.parse
    realm, user, password, algorithms, qop, more, uses, nextnonce, proxy, shares = sys.argv[1:]
    names = {"md5": "md5", "sha-256": "sha256", "sha-512-256": "sha512_256"}
    nonces, shared, lock = {}, [], threading.Lock()

    def digest(algorithm, *parts):
        name = names[algorithm.lower().replace("-sess", "")]
        return hashlib.new(name, b":".join(p if isinstance(p, bytes) else p.encode() for p in parts)).hexdigest()

    def fields(text):
        out, rest = {}, text
        while rest:
            name, _, rest = rest.strip().partition("=")
            if rest.startswith('"'):
                value, index = "", 1
                while rest[index] != '"':
                    if rest[index] == "\\": index += 1
                    value += rest[index]
                    index += 1
                rest = rest[index + 1:]
                _, _, rest = rest.partition(",")
            else:
                value, _, rest = rest.partition(",")
            assert name.strip() not in out, name
            out[name.strip()] = value.strip()
        return out

    def judge(method, target, body, header):
        if not header: return "none"
        scheme, _, rest = header.partition(" ")
        if scheme != "Digest": return "wrong"
        given = fields(rest)
        algorithm = given.get("algorithm", "MD5")
        if algorithm not in algorithms.split(",") and not ("" in algorithms.split(",") and algorithm == "MD5"): return "wrong"
        if given["realm"] != realm or given["opaque"] != "opaque/1": return "wrong"
        if given["uri"] != target and urllib.parse.urlsplit(target)._replace(scheme="", netloc="").geturl() != given["uri"]: return "uri"
        if given.get("userhash") == "true":
            if given["username"] != digest(algorithm, user, realm): return "wrong"
        elif "username*" in given:
            charset, _, name = given["username*"].split("'")
            if charset != "UTF-8" or urllib.parse.unquote(name) != user: return "wrong"
        elif given["username"].encode("latin-1").decode("utf-8") != user: return "wrong"
        secret = digest(algorithm, user, realm, password)
        if algorithm.lower().endswith("-sess"): secret = digest(algorithm, secret, given["nonce"], given["cnonce"])
        what = [method, given["uri"]]
        if given.get("qop") == "auth-int": what.append(digest(algorithm, body))
        parts = [secret, given["nonce"]]
        if qop:
            if given["qop"] not in qop.split(","): return "wrong"
            parts += [given["nc"], given["cnonce"], given["qop"]]
        elif "qop" in given: return "wrong"
        if digest(algorithm, *parts, digest(algorithm, *what)) != given["response"]: return "wrong"
        with lock:
            if given["nonce"] not in nonces: return "stale"
            used = nonces[given["nonce"]]
            if qop and given["nc"] in used: return "replayed"
            if len(used) >= int(uses): return "stale"
            used.add(given.get("nc", str(len(used))))
        return "ok"

    def fresh():
        with lock:
            if shares and shared and len(nonces[shared[-1]]) < int(uses): return shared[-1]
            nonce = os.urandom(9).hex()
            nonces[nonce] = set()
            shared.append(nonce)
            return nonce

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        def log_message(self, *_): pass
        def body(self):
            if self.headers.get("Transfer-Encoding") != "chunked": return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            pieces = []
            while size := int(self.rfile.readline().partition(b";")[0], 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            while self.rfile.readline().strip(): pass
            return b"".join(pieces)
        def answer(self):
            body = self.body()
            header = self.headers.get("Proxy-Authorization" if proxy else "Authorization")
            try: why = judge(self.command, self.path, body, header)
            except Exception as error: why = "wrong:" + type(error).__name__
            status = 200 if why == "ok" else 407 if proxy else 401
            sys.stdout.write("seen %d %s %s %s %s\n" % (status, self.command, self.path, why, header))
            sys.stdout.flush()
            if why == "ok" and self.command == "CONNECT": return self.tunnel()
            text = why.encode()
            self.send_response(status)
            if why == "ok":
                if nextnonce: self.send_header("Authentication-Info", 'nextnonce="%s"' % fresh())
            else:
                nonce = fresh()
                for algorithm in algorithms.split(","):
                    value = 'Digest realm="%s", nonce="%s", opaque="opaque/1"' % (realm.replace("\\", "\\\\").replace('"', '\\"'), nonce)
                    if qop: value += ', qop="%s"' % qop
                    if algorithm: value += ", algorithm=" + algorithm
                    if why == "stale": value += ", stale=true"
                    self.send_header("Proxy-Authenticate" if proxy else "WWW-Authenticate", (value + more).encode().decode("latin-1"))
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            if self.command != "HEAD": self.wfile.write(text)
        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_CONNECT = answer
        def tunnel(self):
            host, _, port = self.path.rpartition(":")
            there = socket.create_connection((host, int(port)))
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            def up():
                try:
                    while data := self.connection.recv(65536): there.sendall(data)
                    there.shutdown(socket.SHUT_WR)
                except OSError: pass
            threading.Thread(target=up, daemon=True).start()
            try:
                while data := there.recv(65536): self.connection.sendall(data)
            except OSError: pass
            self.close_connection = True

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 1024
    server = Server(("127.0.0.1", 0), Handler)
    print("port", server.server_port)
    server.serve_forever()
    """#
}
