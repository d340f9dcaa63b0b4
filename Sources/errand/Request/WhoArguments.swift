internal import Errand
internal import EventLoop
internal import Glibc
internal import HttpWire

/// Who is asking, as the command line says it.
struct WhoArguments: Sendable {
  private enum Who: Sendable {
    case basic(user: String, password: String)
    case digest(user: String, password: String)
    case any(user: String, password: String)
    case bearer(String)
  }

  private var who: Who?

  /// For the library in this process.
  var credentials: HttpCredentials? {
    switch who {
    case nil: nil
    case .basic(let user, let password)?: .basic(user: user, password: password)
    case .digest(let user, let password)?: .digest(user: user, password: password)
    case .any(let user, let password)?: .any(user: user, password: password)
    case .bearer(let token)?: .bearer(token)
    }
  }

  init(_ arguments: Arguments, host: String) throws(Failure) {
    let bearer = arguments.value("bearer") ?? arguments.value("oauth2-bearer")
    if let user = arguments.value("user") {
      if bearer != nil { throw .usage("--user and --bearer contradict each other") }
      let name = String(user.prefix { $0 != ":" })
      let password = name.endIndex == user.endIndex ? "" : String(user.dropFirst(name.count + 1))
      if arguments.has("digest") {
        who = .digest(user: name, password: password)
      } else if arguments.has("anyauth") {
        who = .any(user: name, password: password)
      } else {
        who = .basic(user: name, password: password)
      }
    } else if bearer == nil, arguments.has("netrc") || arguments.has("netrc-file") {
      who = try WhoArguments.netrc(arguments, host)
    } else if arguments.has("digest") || arguments.has("anyauth") {
      throw .usage("--\(arguments.has("digest") ? "digest" : "anyauth"): needs --user or --netrc beside it")
    } else if let bearer {
      who = .bearer(bearer)
    }
  }

  private static func netrc(_ arguments: Arguments, _ host: String) throws(Failure) -> Who? {
    guard let path = arguments.value("netrc-file") ?? getenv("HOME").map({ String(cString: $0) + "/.netrc" }) else {
      throw .usage("--netrc: there is no HOME")
    }
    var bytes: [UInt8] = []
    try File.read(path, option: "netrc-file") { bytes += $0 }
    do throws(WireError) {
      guard let entry = try Netrc(bytes).entry(for: host), entry.login != nil else { return nil }
      let (user, password) = (entry.login ?? "", entry.password ?? "")
      if arguments.has("digest") { return .digest(user: user, password: password) }
      return arguments.has("anyauth") ? .any(user: user, password: password) : .basic(user: user, password: password)
    } catch {
      throw .usage("--netrc-file: \(path): \(error.message)")
    }
  }

  /// As the daemon's API takes it.
  var json: JsonValue? {
    switch who {
    case nil: nil
    case .bearer(let token)?: ["bearer": .string(token)]
    case .basic(let user, let password)?: ["basic": WhoArguments.pair(user, password)]
    case .digest(let user, let password)?: ["digest": WhoArguments.pair(user, password)]
    case .any(let user, let password)?: ["any": WhoArguments.pair(user, password)]
    }
  }

  private static func pair(_ user: String, _ password: String) -> JsonValue {
    ["user": .string(user), "password": .string(password)]
  }
}

/// Cookies of the command line: some to send, a file to begin with, a file to leave them in.
struct CookieArguments: Sendable {
  /// As they stand in the Cookie field.
  var sent: String?
  var jar: CookieJar?
  private var savesTo: String?

  init(_ arguments: Arguments) throws(Failure) {
    var texts: [String] = []
    for text in arguments.all("cookie") {
      if text.contains("=") {
        texts.append(text)
      } else {
        try load(text)
      }
    }
    sent = texts.isEmpty ? nil : texts.joined(separator: "; ")
    savesTo = arguments.value("cookie-jar")
    if savesTo != nil, jar == nil { jar = CookieJar() }
  }

  private mutating func load(_ path: String) throws(Failure) {
    let jar = self.jar ?? CookieJar()
    self.jar = jar
    // As with curl, an empty name or a file that is not there yet begins with no cookies.
    guard !path.isEmpty, File.exists(path) else { return }
    do throws(SystemError) {
      try jar.load(path: path)
    } catch {
      throw .usage("--cookie: \(path): \(error.reason)")
    }
  }

  /// Leaves the cookies where they are wanted.
  func save() throws(Failure) {
    guard let jar, let savesTo else { return }
    if savesTo == "-" {
      return Output.write(CookieFile.write(jar.cookies(), includesSession: true, at: Int64(time(nil))))
    }
    do throws(SystemError) {
      try jar.save(path: savesTo, includesSession: true)
    } catch {
      throw Failure(.failure, "--cookie-jar: \(savesTo): \(error.reason)")
    }
  }
}
