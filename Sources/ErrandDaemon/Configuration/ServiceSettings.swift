internal import Errand
internal import EventLoop

/// A service that requests name: its limits, whatever hosts they go to, and how it is connected to.
public struct ServiceSettings: Codable, Sendable, Equatable {
  public var maxInFlight: Int?
  public var rate: RateSettings?
  /// In place of the client's.
  public var tls: TlsFileSettings?
  public var proxy: String?
  public var noProxy: String?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case rate, tls, proxy
    case maxInFlight = "max_in_flight"
    case noProxy = "no_proxy"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.optionalInteger(.maxInFlight, &maxInFlight, 1...1_000_000)
    try reader.read(.rate, &rate)
    try reader.read(.tls, &tls)
    try reader.read(.proxy, &proxy)
    try reader.read(.noProxy, &noProxy)
    try ProxySetting.check(proxy, noProxy, .proxy, .noProxy, reader)
  }

  var limits: ServiceLimits { ServiceLimits(maxInFlight: maxInFlight, rate: rate?.limit) }
}

/// How a proxy is chosen, in the form of the settings.
enum ProxySetting {
  static let environment = "environment"
  static let none = "none"

  /// nil takes what is above: the client's choice for a service, the environment for the client.
  static func choice(_ proxy: String?, _ noProxy: String?) -> ProxyChoice? {
    switch proxy {
    case nil: nil
    case environment: .environment
    case none, "": ProxyChoice.none
    case let url?: .url(url, noProxy: noProxy)
    }
  }

  /// What is wrong with a proxy's URL, in words without it; nil if nothing is known against it. A single word is more likely a slip than a host.
  static func fault(_ choice: ProxyChoice) -> String? {
    if case .url(let url, _) = choice, !url.contains(where: { ".:/[".contains($0) }) {
      return "can't be used: it is no URL such as http://proxy:3128, and not \"environment\" or \"none\""
    }
    // Some of them begin so themselves.
    return choice.fault.map { $0.hasPrefix("the proxy can't be used") ? String($0.dropFirst("the proxy ".count)) : "can't be used: \($0)" }
  }

  static func check<Key>(_ proxy: String?, _ noProxy: String?, _ key: Key, _ listKey: Key, _ reader: SettingsReader<Key>) throws {
    let choice = choice(proxy, noProxy)
    if noProxy != nil {
      guard case .url = choice else { throw reader.failure(listKey, "needs the URL of a proxy beside it") }
    }
    if let fault = choice.flatMap(fault) { throw reader.failure(key, fault) }
  }
}
