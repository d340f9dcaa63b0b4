import Dispatch
import Glibc
import HttpWire
import TestSupport

@testable import Errand

extension HttpCache.Settings {
  static func test(in directory: TemporaryDirectory? = nil, _ change: (inout HttpCache.Settings) -> Void = { _ in }) -> HttpCache.Settings {
    var settings = HttpCache.Settings()
    settings.directory = directory?.file("cache")
    change(&settings)
    return settings
  }
}

/// Runs a test with a cache whose directory has been read, and lets the directory go afterwards.
func withCache(_ settings: HttpCache.Settings, _ test: (HttpCache) async throws -> Void) async throws {
  let cache = HttpCache(settings)
  await cache.settle()
  do {
    try await test(cache)
  } catch {
    await cache.close()
    throw error
  }
  await cache.close()
}

extension HttpCache {
  /// What is stored for a number of ``CacheContent``, from whichever tier.
  func entry(_ number: Int) async -> CacheEntry? {
    await entry(CacheContent.key(number), CacheContent.request(number))
  }

  func entry(_ key: CacheKey, _ headers: HttpHeaders = [:]) async -> CacheEntry? {
    switch lookup(key, headers) {
    case .memory(let entry): return entry
    case .none: return nil
    case .onDisk(let ticket):
      return await withCheckedContinuation { continuation in load(ticket) { continuation.resume(returning: $0) } }
    }
  }

  func version(_ number: Int) async -> Int? {
    await entry(number).flatMap { CacheContent.version(of: $0, number) }
  }

  func store(_ number: Int, version: Int = 1, count: Int = 100) {
    store(CacheContent.entry(number, version: version, count: count), for: CacheContent.key(number))
  }
}

extension CacheLookup {
  /// In a word, for tables.
  var words: String {
    switch self {
    case .memory: "memory"
    case .onDisk: "disk"
    case .none(let reason): reason.rawValue
    }
  }
}

/// The names in a directory, sorted.
func names(in path: String) -> [String] {
  guard let stream = opendir(path) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// The names of entries in a directory.
func entryNames(in path: String) -> [String] { names(in: path).filter { CacheFileName($0) != nil } }

func bytes(of path: String) -> [UInt8] {
  guard let stream = fopen(path, "r") else { return [] }
  defer { fclose(stream) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65_536)
  while case let count = fread(&chunk, 1, chunk.count, stream), count > 0 { bytes += chunk[..<count] }
  return bytes
}

/// The mode's permission bits.
func mode(of path: String) -> mode_t {
  var status = stat()
  return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
}
