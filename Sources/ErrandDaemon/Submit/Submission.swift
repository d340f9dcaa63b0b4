internal import Errand

/// A request as it was read from the API.
struct Submission {
  var request = HttpRequest("")
  var delegate = "default"
  /// JSON on one line; empty if there is none.
  var meta: [UInt8] = []
  var events: WantedEvents = []
  /// The owner's jar is used.
  var usesCookies = false
  var durability = Durability.volatile
  /// The same request handed over again, under the same key, is the same request.
  var idempotencyKey: String?
  /// Of the request as it was described, for one with a key.
  var fingerprint: [UInt8] = []
  var notBefore: WallTime?
  var deadline: WallTime?
  /// As it came, for the journal.
  var stored: StoredSubmission?
  /// What it names on the daemon's disk.
  var files: [SubmittedFile] = []
}

/// What a submission may hold, and what its names stand for.
struct SubmissionRules: Sendable {
  var metaBytes = 64 << 10
  var keyBytes = 1_024
  /// Params, form fields and header fields, each.
  var fields = 1_000
  var envelopes: [String: EnvelopeProfile] = Dictionary(uniqueKeysWithValues: EnvelopeProfile.shipped.map { ($0.name, $0) })
  var connecting = ConnectionRules()
  var filePolicy = FilePolicy()
  var egress = EgressPolicies(EgressSettings())
  /// Of requests that do not say it themselves.
  var durability = Durability.volatile
  static let delegateBytes = 128
  static let priorities: ClosedRange<Int64> = -128...127
  static let retries = 20
  static let redirects: Int64 = 100
  /// A week.
  static let timeoutMilliseconds: Int64 = 604_800_000

  static func isDelegateName(_ name: String) -> Bool {
    (1...delegateBytes).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }
}

/// How requests connect that do not say so themselves, and the services that they may name.
struct ConnectionRules: Sendable {
  struct Service: Sendable {
    var tls: TlsSettings?
    var proxy: ProxyChoice?
  }

  var httpVersion = HttpVersionChoice.auto
  var tls = TlsSettings()
  var proxyTls = TlsSettings()
  var services: [String: Service] = [:]
  /// By name.
  var secrets: [String: FileSecret] = [:]

  init() {}

  /// Reads the files that the configuration names: not for the loop.
  init(_ settings: ClientSettings) throws(DaemonError) {
    httpVersion = HttpVersionChoice(rawValue: settings.httpVersion) ?? .auto
    tls = try settings.tls.loaded("client.tls")
    proxyTls = try settings.proxyTls.loaded("client.proxy_tls")
    for (name, path) in settings.secrets.sorted(by: { $0.key < $1.key }) {
      secrets[name] = try FileSecret(name, path: path)
    }
    for (name, service) in settings.services.sorted(by: { $0.key < $1.key }) {
      services[name] = Service(
        tls: try service.tls.map { (tls) throws(DaemonError) in try tls.loaded("client.services.\(name).tls") },
        proxy: ProxySetting.choice(service.proxy, service.noProxy))
    }
  }

  /// Which settings take whoever answers for the server.
  var unverified: [String] {
    let names = services.filter { $0.value.tls?.verify == false }.keys.sorted().map { "client.services.\($0).tls" }
    return (tls.verify ? [] : ["client.tls"]) + (proxyTls.verify ? [] : ["client.proxy_tls"]) + names
  }

  /// Every settings of TLS, to be made ready before a request needs them.
  var allTls: [TlsSettings] { [tls, proxyTls] + services.values.compactMap(\.tls) }
}
