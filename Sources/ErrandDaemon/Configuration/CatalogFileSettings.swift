internal import Errand
import Foundation
internal import HttpWire

/// The services that requests may name in place of a URL.
public struct CatalogFileSettings: Codable, Sendable, Equatable {
  /// In the form of the catalogue document.
  public var services: [String: AnyJson] = [:]
  /// Where a document is fetched that is added to them.
  public var url: String?
  public var refreshMs = 300_000

  public init() {}

  enum CodingKeys: String, CodingKey, CaseIterable {
    case services, url
    case refreshMs = "refresh_ms"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.read(.services, &services)
    try reader.read(.url, &url)
    if let url, (try? HttpUrl(url)) == nil { throw reader.failure(.url, "is no http or https URL") }
    try reader.integer(.refreshMs, &refreshMs, 0...604_800_000)
  }

  /// Those of the configuration itself. `envelopes`: what they may name.
  func catalog(_ envelopes: [EnvelopeProfile]) throws(DaemonError) -> ServiceCatalog {
    guard !services.isEmpty else { return ServiceCatalog() }
    do {
      let document = try JSONEncoder().encode(["services": services])
      return try ServiceCatalog(json: Array(document), envelopes: envelopes)
    } catch {
      throw DaemonError("client.catalog: \(error)")
    }
  }
}

/// Any JSON, for parts of the configuration whose form is defined elsewhere.
public enum AnyJson: Codable, Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case text(String)
  case array([AnyJson])
  case object([String: AnyJson])

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let array = try? container.decode([AnyJson].self) {
      self = .array(array)
    } else {
      self = .object(try container.decode([String: AnyJson].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let flag): try container.encode(flag)
    case .integer(let integer): try container.encode(integer)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .array(let array): try container.encode(array)
    case .object(let object): try container.encode(object)
    }
  }
}
