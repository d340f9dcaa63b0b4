import Errand
import EventLoop
import Glibc

/// Measures the library for `scripts/bench`: one JSON line per run.
@main
struct Main {
  static let usage = """
    usage: errand-bench throughput --url URL --connections N --seconds S [--delivery queue|loop] [--json-expected]
           errand-bench inflight --count N --control PORT --ports PORT,PORT,...

      throughput   keeps N requests running for S seconds, each outcome's delegate starting the next
      inflight     N requests at a server that never answers, then cancelled by scope; in turn with closing N plain sockets.
                   Takes two ports of 127.0.0.1 per round; what is told by the one at --control is "OPEN ASKED\\n".
    """

  static func main() async {
    _ = Socket.raiseDescriptorLimit()
    let arguments = Arguments(CommandLine.arguments.dropFirst())
    switch arguments.command {
    case "throughput":
      guard let url = arguments["--url"], let connections = arguments.number("--connections"), let seconds = arguments.number("--seconds")
      else { break }
      let load = Load(url: url, connections: connections, expect: arguments.has("--json-expected") ? .json : .any)
      print(await load.run(seconds: seconds, onLoop: arguments["--delivery"] == "loop"))
      return
    case "inflight":
      guard let count = arguments.number("--count"), let control = arguments.port("--control"), let ports = arguments.ports("--ports")
      else { break }
      let hold = InFlight(count: count, server: HoldServer(controlPort: control), ports: ports)
      print(await hold.run())
      return
    case "--help", "-h":
      print(usage)
      return
    default: break
    }
    print(usage)
    exit(64)
  }
}

/// `COMMAND --name value --flag ...`
struct Arguments {
  let command: String
  private var values: [String: String] = [:]

  init(_ words: ArraySlice<String>) {
    command = words.first ?? ""
    var name: String?
    for word in words.dropFirst() {
      if word.hasPrefix("--") {
        name = word
        values[word] = ""
      } else if let option = name {
        values[option] = word
        name = nil
      }
    }
  }

  subscript(_ name: String) -> String? { values[name] }
  func has(_ name: String) -> Bool { values[name] != nil }
  func number(_ name: String) -> Int? { values[name].flatMap { Int($0) } }
  func port(_ name: String) -> UInt16? { values[name].flatMap { UInt16($0) } }
  func ports(_ name: String) -> [UInt16]? { values[name]?.split(separator: ",").compactMap { UInt16($0) } }
}
