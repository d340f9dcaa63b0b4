import Errand
import EventLoop
import Glibc

/// Measures the library for `scripts/bench`: one JSON line per run.
@main
struct Main {
  static let usage = """
    usage: errand-bench throughput TARGET --in-flight N --seconds S [--delivery queue|loop]
           errand-bench queue TARGET --limit L --count N --total T
           errand-bench inflight --count N --control PORT --ports PORT,PORT,...
    TARGET: --url URL [--ca FILE] [--http2] [--json-expected | --envelope NAME] [--body-bytes N]

      throughput   keeps N requests running for S seconds, each outcome's delegate starting the next
      queue        N requests queued behind L connections, then all answered; time and again, until T were
      inflight     N requests at a server that never answers, then cancelled by scope; in turn with closing N plain sockets.
                   Takes two ports of 127.0.0.1 per round; what is told by the one at --control is "OPEN ASKED\\n".
    """

  static func main() async {
    _ = Socket.raiseDescriptorLimit()
    let arguments = Arguments(CommandLine.arguments.dropFirst())
    switch arguments.command {
    case "throughput":
      guard let target = Target(arguments), let inFlight = arguments.number("--in-flight"), let seconds = arguments.number("--seconds")
      else { break }
      print(await Load(target, inFlight: inFlight).run(seconds: seconds, onLoop: arguments["--delivery"] == "loop"))
      return
    case "queue":
      guard let target = Target(arguments), let limit = arguments.number("--limit"), let count = arguments.number("--count"),
        let total = arguments.number("--total")
      else { break }
      print(await Queue(target, limit: limit, count: count).run(total: total))
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
