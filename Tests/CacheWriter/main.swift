// Writes entries into a cache's directory until it is killed, for tests of what a killed process leaves behind.
//
// usage: cache-writer DIRECTORY SEED [FILE-LIMIT]
// With a limit no file can become longer than that, which fails as a full disk does; it then ends by itself and says how the cache stands.
import Errand
import Glibc
import HttpWire
import TestSupport

let arguments = CommandLine.arguments
guard arguments.count >= 3, let seed = UInt64(arguments[2]) else { exit(64) }
if arguments.count > 3, let limit = rlim_t(arguments[3]) {
  signal(SIGXFSZ, SIG_IGN)
  var limits = rlimit(rlim_cur: limit, rlim_max: limit)
  setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
}

var settings = HttpCache.Settings()
settings.directory = arguments[1]
settings.memoryBytes = 1_000_000
settings.diskBytes = 2_000_000
let cache = HttpCache(settings)
await cache.settle()
guard cache.statistics.disk == .on else { exit(1) }

if arguments.count > 3 {
  // The first fits, the second does not, the third would again.
  for (number, count) in [(0, 100), (2, 100_000), (4, 100)] {
    cache.store(CacheContent.entry(number, version: 1, count: count), for: CacheContent.key(number))
    await cache.settle()
  }
  let statistics = cache.statistics
  print(
    "entries \(statistics.memoryEntries) \(statistics.diskEntries), failures \(statistics.failures.values.reduce(0, +)), \(statistics.disk)"
  )
  exit(0)
}

print("writing")
fflush(nil)
var generator = SeededGenerator(seed: seed)
for version in Int(seed) * 1_000_000..<Int.max {
  let number = Int.random(in: 0..<40, using: &generator)
  switch Int.random(in: 0..<20, using: &generator) {
  case 0: cache.invalidate(CacheContent.key(number))
  default:
    let count = Int.random(in: 0..<[100, 10_000, 200_000][version % 3], using: &generator)
    cache.store(CacheContent.entry(number, version: version, count: count), for: CacheContent.key(number))
  }
  if version % 8 == 0 { await cache.settle() }
}
