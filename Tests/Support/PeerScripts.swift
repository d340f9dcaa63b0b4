/// Python peers for what neither `openssl s_server` nor nginx does.
public enum PeerScripts {
  /// The arguments of a peer that serves with this certificate, in one word.
  public static func identity(_ spec: CertificateSpec) async throws -> String {
    let identity = try await TestCertificates.shared.identity(spec)
    return "\(identity.chainFile):\(identity.keyFile)"
  }

  private static let listener = """
    import socket, ssl, struct, sys, threading
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    print("port", listener.getsockname()[1])
    def server_context(identity):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*identity.split(":"))
        return context

    """

  /// Answers what it reads with records of TLS that are full of zeros, messages that ask for a handshake, without end.
  public static let hellosWithoutEnd =
    listener + """
      while True:
          peer, _ = listener.accept()
          peer.recv(65536)
          try:
              while True: peer.sendall((b"\\x16\\x03\\x03\\x40\\x00" + bytes(16384)) * 16)
          except OSError:
              peer.close()
      """

  /// Reads something, answers with the bytes given in hex, and ends the connection: by `close` or `reset`.
  public static let answer =
    listener + """
      while True:
          peer, _ = listener.accept()
          peer.recv(65536)
          peer.sendall(bytes.fromhex(sys.argv[1]))
          if sys.argv[2] == "reset":
              peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
          else:
              peer.shutdown(socket.SHUT_WR)
              while peer.recv(65536): pass
          peer.close()
      """

  /// Passes the server's bytes on one by one.
  public static let slowRelay =
    listener + """
      import time
      while True:
          peer, _ = listener.accept()
          peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
          server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
          def up():
              while data := peer.recv(65536): server.sendall(data)
          threading.Thread(target=up, daemon=True).start()
          while data := server.recv(65536):
              for byte in data:
                  peer.sendall(bytes([byte]))
                  time.sleep(0.0002)
      """

  /// Ends TLS and passes on what is within.
  public static let tlsRelay =
    listener + """
      context = server_context(sys.argv[1])
      import selectors
      while True:
          raw, _ = listener.accept()
          def relay(raw):
              # A client may refuse the certificate.
              try: peer = context.wrap_socket(raw, server_side=True)
              except OSError: return
              server = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
              peer.setblocking(False)
              chosen = selectors.DefaultSelector()
              chosen.register(peer, selectors.EVENT_READ)
              chosen.register(server, selectors.EVENT_READ)
              open_ = True
              while open_:
                  for key, _ in chosen.select():
                      if key.fileobj is server:
                          data = server.recv(50000)
                          if not data: open_ = False
                          while data:
                              try: data = data[peer.send(data):]
                              except (ssl.SSLWantWriteError, ssl.SSLWantReadError): pass
                      else:
                          try:
                              data = peer.recv(65536)
                              if not data: open_ = False
                              while data:
                                  server.sendall(data)
                                  data = peer.recv(65536) if peer.pending() else None
                          except ssl.SSLWantReadError: pass
              server.close()
              peer.setblocking(True)
              try: peer.unwrap()
              except OSError: pass
              peer.close()
          threading.Thread(target=relay, args=(raw,), daemon=True).start()
      """

  /// Serves lines: `size N` is answered with N bytes; `end` ends TLS and the connection in good order, `cut` the connection alone, `reset` by a reset,
  /// `notify` ends TLS and leaves the connection open; `sink N` reads N bytes slowly and says `sunk`.
  public static let ends =
    listener + """
      import hashlib, time
      context = server_context(sys.argv[1])
      def serve(raw):
          peer = context.wrap_socket(raw, server_side=True)
          lines = peer.makefile("rb", buffering=0)
          for line in iter(lines.readline, b""):
              words = line.decode().split()
              if words[0] == "size":
                  peer.sendall(b"x" * int(words[1]))
              elif words[0] == "sink":
                  digest, left = hashlib.sha256(), int(words[1])
                  time.sleep(0.2)
                  while left:
                      data = peer.recv(min(left, 65536))
                      digest.update(data)
                      left -= len(data)
                  peer.sendall(digest.hexdigest().encode() + b"\\n")
              elif words[0] == "end":
                  peer.sendall(b"bye")
                  peer.unwrap()
                  peer.close()
                  return
              elif words[0] == "notify":
                  peer.sendall(b"bye")
                  try: peer.unwrap()
                  except Exception: pass
                  time.sleep(60)
              elif words[0] == "cut":
                  peer.sendall(b"bye")
                  raw2 = socket.socket(fileno=peer.detach())
                  raw2.shutdown(socket.SHUT_RDWR)
                  raw2.close()
                  return
              elif words[0] == "reset":
                  peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                  raw2 = socket.socket(fileno=peer.detach())
                  raw2.close()
                  return
      while True:
          raw, _ = listener.accept()
          threading.Thread(target=serve, args=(raw,), daemon=True).start()
      """

  /// Answers any request with a body that ends with the connection: in good order if the path is `/end`, cut off if it is `/cut`.
  public static let toEnd =
    listener + """
      context = server_context(sys.argv[1])
      def serve(raw):
          peer = context.wrap_socket(raw, server_side=True)
          data = b""
          while b"\\r\\n\\r\\n" not in data:
              more = peer.recv(65536)
              if not more: return
              data += more
          peer.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\nsome of it")
          if b" /end " in data:
              peer.unwrap()
              peer.close()
          else:
              raw2 = socket.socket(fileno=peer.detach())
              raw2.shutdown(socket.SHUT_RDWR)
              raw2.close()
      while True:
          raw, _ = listener.accept()
          threading.Thread(target=serve, args=(raw,), daemon=True).start()
      """
}
