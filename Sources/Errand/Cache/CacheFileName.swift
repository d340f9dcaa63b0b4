internal import HttpWire

/// The name of an entry's file: the digests of its key and its variant, and whether it varies by any field.
struct CacheFileName: Hashable, Sendable {
  let key: CacheKey
  let variant: CacheDigest
  /// Vary names fields, which stand in the file.
  let hasFields: Bool

  init(key: CacheKey, variant: CacheVariant) {
    self.key = key
    self.variant = variant.digest
    hasFields = !variant.fields.isEmpty
  }

  /// nil for a name that is not one of ours.
  init?(_ name: String) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let key = CacheDigest(hex: parts[0].utf8), let variant = CacheDigest(hex: parts[1].utf8),
      parts[2] == "e" || parts[2] == "v"
    else { return nil }
    self.key = CacheKey(digest: key)
    self.variant = variant
    hasFields = parts[2] == "v"
  }

  var text: String { "\(key.digest).\(variant).\(hasFields ? "v" : "e")" }

  /// What holds a lock on the directory.
  static let lock = "errand-cache.lock"

  /// The name of a file that is being written.
  static func temporary(_ number: UInt64) -> String { "\(temporaryPrefix)\(number)\(temporarySuffix)" }

  static func isTemporary(_ name: String) -> Bool {
    guard name.hasPrefix(temporaryPrefix), name.hasSuffix(temporarySuffix) else { return false }
    let number = name.utf8.dropFirst(temporaryPrefix.utf8.count).dropLast(temporarySuffix.utf8.count)
    return !number.isEmpty && number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private static let temporaryPrefix = "errand-cache-"
  private static let temporarySuffix = ".tmp"
}
