internal import Hashing
internal import HttpWire

/// The fields by which a receiver knows who sent an event, and that it is whole (Standard Webhooks 1.0).
enum WebhookSignature {
  /// How the text of a secret begins.
  static let prefix = "whsec_"
  /// Bytes of a key.
  static let keyBytes = 24...64

  /// One signature for each key, so that a secret can be changed while receivers still have the one before.
  static func fields(id: String, seconds: Int64, body: some Collection<UInt8>, keys: [[UInt8]]) -> [(name: String, value: String)] {
    let message = Array("\(id).\(seconds).".utf8) + body
    let signatures = keys.map { "v1," + Base64.encode(Hmac.sha256(message, key: $0)) }
    return [
      ("webhook-id", id), ("webhook-timestamp", String(seconds)), ("webhook-signature", signatures.joined(separator: " ")),
    ]
  }

  /// The key in a secret's text, with or without its prefix; nil if there is none of a fit length.
  static func key(_ secret: String) -> [UInt8]? {
    let text = secret.hasPrefix(prefix) ? String(secret.dropFirst(prefix.count)) : secret
    guard let key = Base64.decode(text), keyBytes.contains(key.count) else { return nil }
    return key
  }

  /// A new secret; nil if the system has no randomness.
  static func newSecret() -> String? {
    Sealer.random(32).map { prefix + Base64.encode($0) }
  }
}
