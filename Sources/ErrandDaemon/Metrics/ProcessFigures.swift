internal import EventLoop
import Glibc

/// What the system says of this process. Reads files of /proc: not for the loop.
struct ProcessFigures: Sendable {
  let residentBytes: Int
  let descriptors: Int
  let cpuSeconds: Double

  init() {
    let pages = (try? WholeFile.read("/proc/self/statm", limit: 4_096)).flatMap { bytes in
      String(decoding: bytes, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
    residentBytes = (pages ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    var count = 0
    if let stream = opendir("/proc/self/fd") {
      while readdir(stream) != nil { count += 1 }
      closedir(stream)
    }
    // Without ".", ".." and the one that was read.
    descriptors = max(0, count - 3)
    var clock = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &clock)
    cpuSeconds = Double(clock.tv_sec) + Double(clock.tv_nsec) / 1_000_000_000
  }
}
