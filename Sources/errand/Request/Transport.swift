internal import Errand
internal import EventLoop
internal import HttpWire

/// How a request gets to its server, as the command line says it, checked. Files are read here: the daemon gets their contents.
struct Transport: Sendable {
  static let priorities = -128...127

  /// nil if nothing was said of it.
  var tls: TlsSettings?
  var proxy: ProxyChoice?
  var httpVersion: HttpVersionChoice?
  var resolve: [ResolveOverride] = []
  var unixSocket: String?
  var priority: Int?
  var service: String?

  init(_ arguments: Arguments, url: HttpUrl, keyOption: String) throws(Failure) {
    tls = try TlsArguments(arguments, keyOption: keyOption).settings()
    unixSocket = arguments.value("unix-socket")
    if let unixSocket {
      do throws(SystemError) { _ = try SocketAddress.unix(unixSocket) } catch { throw .usage("--unix-socket: \(error.reason)") }
    }
    httpVersion = try Transport.version(arguments)
    for text in arguments.all("resolve") {
      do throws(ResolveOverride.ParseError) {
        resolve.append(try ResolveOverride(parsing: text))
      } catch {
        throw .usage("--resolve: \(error)")
      }
    }
    proxy = try Transport.proxy(arguments, url, isDirect: unixSocket != nil)
    priority = try arguments.integer("priority")
    if let priority, !Transport.priorities.contains(priority) { throw .usage("--priority: \(priority) is not in -128 to 127") }
    service = arguments.value("service")
  }

  private static func version(_ arguments: Arguments) throws(Failure) -> HttpVersionChoice? {
    let choices: [(name: String, choice: HttpVersionChoice)] = [("http1.1", .http1), ("http2", .auto), ("http2-prior-knowledge", .http2)]
    let given = choices.filter { arguments.has($0.name) }
    guard given.count <= 1 else { throw .usage("--\(given[0].name) and --\(given[1].name) contradict each other") }
    return given.first?.choice
  }

  /// As curl has it: what is said here, else the environment; nil leaves it to whoever makes the request.
  private static func proxy(_ arguments: Arguments, _ url: HttpUrl, isDirect: Bool) throws(Failure) -> ProxyChoice? {
    let list = arguments.value("noproxy")
    if let given = arguments.value("proxy") {
      if given.isEmpty { return ProxyChoice.none }
      let choice = ProxyChoice.url(given, noProxy: list ?? ProxyChoice.noProxyOfEnvironment ?? "")
      if let fault = choice.fault { throw .usage("--proxy: \(fault)") }
      return choice
    }
    if isDirect { return nil }
    if let list, ProxyChoice.isExempt(url.host, from: list) { return ProxyChoice.none }
    guard case .url(let proxy, let noProxy)? = ProxyChoice.ofEnvironment(for: url.scheme) else { return nil }
    let choice = ProxyChoice.url(proxy, noProxy: list ?? noProxy)
    if let fault = choice.fault { throw .usage("the proxy of the environment: \(fault)") }
    return choice
  }
}

// MARK: For the library and for the daemon

extension Transport {
  func apply(to request: inout HttpRequest) throws(Failure) {
    if service != nil { throw .usage("--service: services are settings of a daemon, and this request goes without one") }
    request.tls = tls
    request.proxy = proxy
    if let httpVersion { request.httpVersion = httpVersion }
    request.resolve = resolve
    request.unixSocket = unixSocket
    if let priority { request.priority = priority }
  }

  func write(to json: inout JsonObject) {
    if let tls { json["tls"] = .object(TlsArguments.json(tls)) }
    switch proxy {
    case .url(let url, let noProxy)?:
      json["proxy"] = .string(url)
      if let noProxy, !noProxy.isEmpty { json["no_proxy"] = .string(noProxy) }
    case ProxyChoice.none?: json["proxy"] = "none"
    case .environment?, nil: break
    }
    if let httpVersion { json["http_version"] = .string(httpVersion.rawValue) }
    if !resolve.isEmpty {
      var object = JsonObject()
      for override in resolve {
        let host = override.host.contains(":") ? "[\(override.host)]" : override.host
        object[override.port.map { "\(host):\($0)" } ?? host] = .array(override.addresses.map(JsonValue.string))
      }
      json["resolve"] = .object(object)
    }
    if let unixSocket { json["unix_socket"] = .string(File.absolute(unixSocket)) }
    if let priority { json["priority"] = .number(JsonNumber(priority)) }
    if let service { json["service"] = .string(service) }
  }
}
