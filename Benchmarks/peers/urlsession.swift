// The peer on Foundation's URLSession: CONNECTIONS data tasks at a time, each completion starts the next.
//
//   urlsession URL CONNECTIONS SECONDS
import Foundation
import FoundationNetworking
import Glibc

func cpuSeconds() -> Double {
  var use = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &use)
  let microseconds = Double(use.ru_utime.tv_usec + use.ru_stime.tv_usec)
  return Double(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + microseconds / 1e6
}

// ru_maxrss would include the process that started this one.
func peakKilobytes() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
  return Int(line.filter(\.isNumber)) ?? 0
}

final class Load: @unchecked Sendable {
  private let session: URLSession
  private let url: URL
  private let end: Date
  private let lock = NSLock()
  private var requests = 0
  private var failed = 0
  private var running: Int
  private let done = DispatchSemaphore(value: 0)

  init(url: URL, connections: Int, seconds: Double) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = connections
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.connectionProxyDictionary = [:]
    session = URLSession(configuration: configuration)
    self.url = url
    running = connections
    end = Date(timeIntervalSinceNow: seconds)
  }

  func run() -> (requests: Int, failed: Int) {
    for _ in 0..<running { next() }
    done.wait()
    return lock.withLock { (requests, failed) }
  }

  private func next() {
    session.dataTask(with: url) { data, response, error in
      let success = error == nil && (response as? HTTPURLResponse)?.statusCode == 200 && data != nil
      let now = Date()
      let (again, last) = self.lock.withLock {
        if now < self.end {
          if success { self.requests += 1 } else { self.failed += 1 }
          return (true, false)
        }
        self.running -= 1
        return (false, self.running == 0)
      }
      if again { self.next() }
      if last { self.done.signal() }
    }.resume()
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let url = URL(string: arguments[1]), let connections = Int(arguments[2]), let seconds = Double(arguments[3])
else {
  print("usage: urlsession URL CONNECTIONS SECONDS")
  exit(64)
}
let started = Date()
let cpu = cpuSeconds()
let load = Load(url: url, connections: connections, seconds: seconds)
let (requests, failed) = load.run()
let elapsed = Date().timeIntervalSince(started)
let fields: [(String, Any)] = [
  ("requests", requests), ("failed", failed), ("seconds", elapsed), ("cpu_seconds", cpuSeconds() - cpu), ("peak_kb", peakKilobytes()),
]
print("{" + fields.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}")
exit(0)
