internal import Errand
internal import HttpWire

/// A request as the command line describes it, checked.
struct RequestSpec: Sendable {
  var method: HttpMethod?
  var url: String
  var headers = HttpHeaders()
  var body: [UInt8]?
  /// Resolving and connecting; `.zero` is no limit, nil the default.
  var connectTimeout: Duration?
  /// The whole request; `.zero` is no limit, nil the default: quiet is limited, the whole is not.
  var maxTime: Duration?
  var transport: Transport
  var expectsJson: Bool
  var envelope: String?
  var retries: Int
  var follows: Bool
  var maxRedirects: Int?
  var parts: [FormArgument] = []
  var who: WhoArguments
  var cookies: CookieArguments
  /// The body may come compressed, and is decompressed.
  var decodes: Bool
  /// Goes to a file by the library's own ways: named by the URL, or gone on with.
  var download: Download?

  /// The answers after which curl tries again.
  static let retriedStatuses = [408, 429, 500, 502, 503, 504]

  /// `keyOption`: what the option for the client's private key is called.
  init(_ arguments: Arguments, method: HttpMethod?, keyOption: String = TlsArguments.keyOption) throws(Failure) {
    self.method = method
    expectsJson = arguments.has("expect-json")
    retries = try arguments.integer("retry", atLeast: 0) ?? 0
    follows = arguments.has("location")
    maxRedirects = try arguments.integer("max-redirs", atLeast: 0)
    connectTimeout = try arguments.seconds("connect-timeout")
    maxTime = try arguments.seconds("max-time")
    let parsed: HttpUrl
    (url, parsed) = try RequestSpec.url(arguments.single("URL"), adding: arguments.all("param"))
    transport = try Transport(arguments, url: parsed, keyOption: keyOption)
    who = try WhoArguments(arguments, host: parsed.host)
    cookies = try CookieArguments(arguments)
    decodes = arguments.has("compressed")
    download = try RequestSpec.download(arguments, parsed)
    envelope = arguments.value("envelope")
    try readHeaders(arguments)
    try readBody(arguments)
  }

  /// What it names in this process's surroundings is for this process to read and write.
  var needsOwnProcess: Bool { download != nil || cookies.jar != nil || parts.contains(where: \.isFile) }

  private static func download(_ arguments: Arguments, _ url: HttpUrl) throws(Failure) -> Download? {
    let offset = arguments.value("continue-at")
    if let offset, offset != "-" { throw .usage("--continue-at: \"\(offset)\" is not -: how far the file is, its part says") }
    let resumes = arguments.has("continue") || offset != nil
    if arguments.has("remote-header-name") {
      if arguments.has("output") { throw .usage("--output and --remote-header-name contradict each other") }
      if !resumes { return Download(directory: ".") }
    }
    if arguments.has("remote-name") {
      if arguments.has("output") { throw .usage("--output and --remote-name contradict each other") }
      let name = ContentDisposition.suggestedFileName(contentDisposition: nil, url: url, contentType: nil)
      return Download(to: name, resumes: resumes)
    }
    guard resumes else { return nil }
    guard let path = arguments.value("output"), path != "-" else {
      throw .usage("--continue: needs --output FILE or --remote-name beside it")
    }
    if arguments.has("range") { throw .usage("--continue and --range contradict each other") }
    return Download(to: path, resumes: true)
  }

  /// As curl does, a URL without a scheme is an `http` one.
  private static func url(_ text: String, adding params: [String]) throws(Failure) -> (String, HttpUrl) {
    let scheme = scheme(of: text)
    // The library and the daemon refuse another one, too, each in words of its own.
    if let scheme, scheme != "http", scheme != "https" { throw .usage("URL: the scheme \(scheme) is not supported by this version") }
    var url = scheme == nil ? "http://" + text : text
    if !params.isEmpty {
      if let fragment = url.firstIndex(of: "#") { url = String(url[..<fragment]) }
      var parts: [String] = []
      for text in params { parts.append(try param(text)) }
      let query = parts.joined(separator: "&")
      let separator = url.contains("?") ? (url.hasSuffix("?") || url.hasSuffix("&") ? "" : "&") : "?"
      url += separator + query
    }
    do throws(WireError) {
      return (url, try HttpUrl(url))
    } catch {
      throw .usage(error.message.hasPrefix("url") ? error.message : "URL: \(error.message)")
    }
  }

  /// In lower case; nil if the URL begins with its host.
  private static func scheme(of text: String) -> String? {
    guard let end = text.firstRange(of: "://")?.lowerBound else { return nil }
    let scheme = text[..<end]
    guard scheme.first?.isLetter ?? false, scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }) else {
      return nil
    }
    return scheme.lowercased()
  }

  /// `NAME=VALUE`, or `NAME` alone, percent-encoded.
  private static func param(_ text: String) throws(Failure) -> String {
    let name = text.prefix { $0 != "=" }
    guard !name.isEmpty else { throw .usage("--param: \"\(text)\" is not of the form NAME=VALUE, or NAME alone") }
    let encoded = FormEncoding.percentEncode(String(name))
    guard name.endIndex != text.endIndex else { return encoded }
    return encoded + "=" + FormEncoding.percentEncode(String(text[text.index(after: name.endIndex)...]))
  }

  private mutating func readHeaders(_ arguments: Arguments) throws(Failure) {
    for line in arguments.all("header") {
      if let colon = line.firstIndex(of: ":") {
        let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        headers.append(String(line[..<colon]), String(value))
      } else if line.hasSuffix(";") {
        headers.append(String(line.dropLast()), "")
      } else {
        throw .usage("--header: \"\(line)\" is not of the form \"Name: value\"")
      }
    }
    if let agent = arguments.value("user-agent") { headers.set("User-Agent", agent) }
    if let range = arguments.value("range") { headers.set("Range", "bytes=" + range) }
    if let referer = arguments.value("referer") { headers.set("Referer", referer) }
    if let sent = cookies.sent { headers.append("Cookie", sent) }
    do throws(WireError) {
      try headers.validate()
    } catch {
      throw .usage("--header: \(error.message)")
    }
  }

  private mutating func readBody(_ arguments: Arguments) throws(Failure) {
    let kinds = ["data", "data-binary", "data-raw", "data-urlencode", "json", "form", "form-string"].filter(arguments.has)
    guard let kind = kinds.first else { return }
    // As with curl, those of one kind are spellings of one body.
    guard kinds.allSatisfy({ $0.hasPrefix("data") }) || kinds.allSatisfy({ $0.hasPrefix("form") }) || kinds.count == 1 else {
      throw .usage("--\(kinds[0]) and --\(kinds[kinds.count - 1]): a request has one body")
    }
    switch kind {
    case "json":
      body = try DataArgument.read(arguments.value("json") ?? "", option: "json", keepsLineEnds: true)
      setDefault("Content-Type", "application/json")
      setDefault("Accept", "application/json")
    case "form", "form-string":
      for (name, text) in arguments.uses(of: ["form", "form-string"]) {
        parts.append(try name == "form" ? FormArgument(text) : FormArgument(plain: text))
      }
    default:
      var pieces: [[UInt8]] = []
      for (name, text) in arguments.uses(of: Set(kinds)) {
        switch name {
        case "data": pieces.append(try DataArgument.read(text, option: name, keepsLineEnds: false))
        case "data-binary": pieces.append(try DataArgument.read(text, option: name, keepsLineEnds: true))
        case "data-raw": pieces.append(Array(text.utf8))
        default: pieces.append(try UrlencodeArgument.read(text))
        }
      }
      body = Array(pieces.joined(separator: [UInt8(ascii: "&")]))
      setDefault("Content-Type", "application/x-www-form-urlencoded")
    }
  }

  private mutating func setDefault(_ name: String, _ value: String) {
    if !headers.contains(name) { headers.append(name, value) }
  }
}
