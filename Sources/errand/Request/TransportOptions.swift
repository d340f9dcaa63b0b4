/// The options that say how a request gets to its server, with curl's names and meaning.
extension [Option] {
  static func transport(keyOption: String) -> [Option] {
    [
      Option("cacert", nil, "FILE", "trust the authorities of this PEM file, and no others"),
      Option("capath", nil, "DIR", "trust the authorities in this directory, and no others; beside --cacert both"),
      Option("cert", "E", "FILE", "the client's certificate in PEM, as FILE or FILE:PASSWORD, with its key unless --\(keyOption) is given"),
      Option(keyOption, nil, "FILE", "the client's private key in PEM"),
      Option("pass", nil, "PASSWORD", "the password of the key"),
      Option(
        "pin", nil, "PIN", repeats: true,
        "only a server (or authority) with this public key, as sha256//BASE64; the chain is verified all the same"),
      Option("pinnedpubkey", nil, "PINS", "the same as curl has it: pins joined by ;"),
      Option("insecure", "k", "take whoever answers for the server: no certificate is verified, but pins are"),
      Option("tlsv1.3", "no TLS older than 1.3 (default: none older than 1.2)"),
      Option(
        "proxy", "x", "URL",
        "the proxy: http, https, socks5 or socks5h; \"\" is none (default: that of the environment, else the daemon's)"),
      Option("noproxy", nil, "LIST", "hosts that are not reached through a proxy, with commas between; * is all"),
      Option("http1.1", "HTTP/1.1 only"),
      Option("http2", "HTTP/2 where the server offers it in TLS, else HTTP/1.1 (default)"),
      Option("http2-prior-knowledge", "HTTP/2 only, also in the clear"),
      Option(
        "resolve", nil, "HOST:PORT:ADDRESS", repeats: true,
        "connect to this address instead of asking for the host's; * is any host or port"),
      Option("unix-socket", nil, "PATH", "connect to this Unix socket instead of the URL's host"),
    ]
  }

  /// What to take turns by.
  static let admission: [Option] = [
    Option("priority", nil, "N", "goes before requests of a lower number that wait for the same host, -128 to 127 (default: 0)"),
    Option("service", nil, "NAME", "count against the limits of this service of the daemon's configuration, and connect as it says"),
  ]
}
