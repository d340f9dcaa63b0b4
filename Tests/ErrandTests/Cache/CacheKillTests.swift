import Glibc
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// What a process leaves behind that was killed, or could not write.
@Suite struct CacheKillTests {
  /// The program is beside the tests.
  private func writer() throws -> String {
    for word in ["/proc/self/exe"] + CommandLine.arguments {
      guard let real = realpath(word, nil) else { continue }
      defer { free(real) }
      let pieces = String(cString: real).split(separator: "/").dropLast()
      for count in stride(from: pieces.count, to: max(0, pieces.count - 3), by: -1) {
        let path = "/" + pieces.prefix(count).joined(separator: "/") + "/cache-writer"
        if access(path, X_OK) == 0 { return path }
      }
    }
    throw TestTimeout("cache-writer is not beside the tests")
  }

  @Test func `a process killed at any point while writing leaves no wrong body`() async throws {
    let program = try writer()
    let directory = try TemporaryDirectory()
    var settings = HttpCache.Settings.test(in: directory)
    settings.diskBytes = 2_000_000
    var generator = SeededGenerator(seed: 1)
    var readable = 0
    var unfinished = 0
    var round = 0
    // Without a kill in the midst of writing nothing would be shown: on a busy machine that may take more of them.
    while round < 30 || unfinished == 0 && round < 500 {
      round += 1
      let process = try PeerProcess([program, directory.file("cache"), "\(round)"])
      _ = try await process.line(after: "writing")
      await pause(.microseconds(Int64.random(in: 0..<30_000, using: &generator)))
      #expect(!process.hasEnded, "\(process.output)")
      process.end(with: SIGKILL)
      unfinished += names(in: directory.file("cache")).count(where: CacheFileName.isTemporary)
      try await withCache(settings) { cache in
        #expect(cache.statistics.disk == .on)
        for number in 0..<40 {
          guard let entry = await cache.entry(number) else { continue }
          readable += 1
          #expect(CacheContent.version(of: entry, number) != nil, "round \(round), number \(number)")
        }
        await cache.settle()
        #expect(cache.statistics.damaged == 0)
        #expect(cache.statistics.diskBytes <= settings.diskBytes)
        #expect(!names(in: directory.file("cache")).contains(where: CacheFileName.isTemporary))
      }
    }
    #expect(readable > 0)
    #expect(unfinished > 0)
  }

  @Test func `a disk that takes no more leaves whole files and the memory`() async throws {
    let directory = try TemporaryDirectory()
    let result = try await Command.run(try writer(), directory.file("cache"), "1", "20000")
    #expect(result.text == "entries 3 1, failures 1, off(\"write: File too large\")\n")
    #expect(names(in: directory.file("cache")).count == 2)
    try await withCache(.test(in: directory)) { cache in
      #expect(await cache.version(0) == 1)
      #expect(cache.statistics.diskEntries == 1)
      #expect(cache.statistics.damaged == 0)
    }
  }
}
