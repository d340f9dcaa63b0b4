internal import HttpWire

/// The name of an entry's file: the digests of its key, which are two, and of its variant, and whether it varies by any field.
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
    guard let (digests, hasFields) = Self.parts(name), digests.count == 3 else { return nil }
    key = CacheKey(resource: digests[0], asker: digests[1])
    variant = digests[2]
    self.hasFields = hasFields
  }

  var text: String { "\(key.resource).\(key.asker).\(variant).\(hasFields ? "v" : "e")" }

  /// An entry's of an earlier version, which had no asker: nothing can be told of it.
  static func isOutdated(_ name: String) -> Bool { parts(name)?.digests.count == 2 }

  private static func parts(_ name: String) -> (digests: [CacheDigest], hasFields: Bool)? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard let last = parts.last, last == "e" || last == "v" else { return nil }
    let digests = parts.dropLast().compactMap { CacheDigest(hex: $0.utf8) }
    return digests.count == parts.count - 1 ? (digests, last == "v") : nil
  }

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
