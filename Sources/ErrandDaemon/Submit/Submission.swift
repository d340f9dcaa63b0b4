internal import Errand

/// A request as it was read from the API.
struct Submission {
  var request = HttpRequest("")
  var delegate = "default"
  /// JSON on one line; empty if there is none.
  var meta: [UInt8] = []
}

/// What a submission may hold, and what its names stand for.
struct SubmissionRules: Sendable {
  var metaBytes = 64 << 10
  var keyBytes = 1_024
  /// Params, form fields and header fields, each.
  var fields = 1_000
  var envelopes: [String: EnvelopeProfile] = Dictionary(uniqueKeysWithValues: EnvelopeProfile.shipped.map { ($0.name, $0) })
  static let delegateBytes = 128
  static let retries = 20
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
