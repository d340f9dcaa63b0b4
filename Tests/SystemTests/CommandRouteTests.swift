import EventLoop
import Glibc
import HttpServer
import HttpWire
import TestSupport
import Testing

/// How `errand` gets to a server, directly and through a daemon: what each option does.
@LoopActor
@Suite(.timeLimit(.minutes(5))) struct CommandRouteTests {
  @Test func theVersionOfHttpCanBeChosen() async throws {
    try await TransportScene.both { (scene, way, errand) async throws in
      let trusted = ["get", "--cacert", scene.root]
      #expect(try await errand(trusted + [scene.secure, "--http1.1"]).text.hasPrefix("HTTP/1.1 TLS"), "\(way)")
      #expect(try await errand(trusted + [scene.secure, "--http2"]).text.hasPrefix("HTTP/2.0 TLS"), "\(way)")
      #expect(try await errand(trusted + [scene.old, "--http2"]).text.hasPrefix("HTTP/1.1 TLS"), "\(way)")
      let only = try await errand(trusted + [scene.old, "--http2-prior-knowledge"])
      #expect(only.status == 35, "\(way): \(only.errors)")
      #expect(try await errand(["get", scene.clearHttp2, "--http2-prior-knowledge"]).text.hasPrefix("HTTP/2.0"), "\(way)")
      #expect(try await errand(["get", scene.clear]).text.hasPrefix("HTTP/1.1"), "\(way)")
    }
  }

  @Test func aProxyIsGoneThroughUnlessItIsSaidNotTo() async throws {
    try await Tinyproxy.with { proxy in
      let url = "http://127.0.0.1:\(proxy)"
      try await TransportScene.both { (scene, way, errand) async throws in
        let via = try await errand(["get", scene.clear, "--proxy", url])
        #expect(via.text.contains("tinyproxy"), "\(way): \(via.text) \(via.errors)")
        #expect(try await errand(["get", scene.clear, "-x", url]).text.contains("tinyproxy"), "\(way)")
        let tunnel = try await errand(["get", "-v", scene.secure, "--cacert", scene.root, "-x", url])
        #expect(tunnel.text.hasPrefix("HTTP/2.0"), "\(way): \(tunnel.errors)")
        let exempt = try await errand(["get", scene.clear, "--proxy", url, "--noproxy", "example.com,127.0.0.0/8"])
        #expect(exempt.text.contains("[] [127.0.0.1]"), "\(way): \(exempt.text)")
        #expect(try await errand(["get", scene.clear, "--proxy", url, "--noproxy", "example.com"]).text.contains("tinyproxy"), "\(way)")
        let refused = try await errand(["get", scene.clear, "--proxy", "http://user:secret@127.0.0.1:1"])
        #expect(refused.status == 7, "\(way)")
        #expect(refused.errors.contains("proxy") && !refused.errors.contains("secret"), "\(way): \(refused.errors)")
      }
      let environment = ["http_proxy": url]
      try await TransportScene.both(environment: environment) { (scene, way, errand) async throws in
        #expect(try await errand(["get", scene.clear]).text.contains("tinyproxy"), "\(way)")
        #expect(try await errand(["get", scene.clear, "--proxy", ""]).text.contains("[] ["), "\(way)")
        #expect(try await errand(["get", scene.clear, "--noproxy", "*"]).text.contains("[] ["), "\(way)")
      }
      let scene = try await TransportScene()
      defer { scene.nginx.stop() }
      // The command's environment, the daemon's setting, and an exception from it.
      let plain = try await RunningDaemon()
      #expect(try await plain.errand(["get", scene.clear], environment: environment).text.contains("tinyproxy"))
      #expect(try await plain.errand(["get", scene.clear], environment: ["HTTP_PROXY": url]).text.contains("[] ["))
      let tunnel = try await plain.errand("submit", scene.secure, "--cacert", scene.root, "-x", url, "--wait")
      let lost = try await plain.errand("submit", scene.secure, "-x", "http://user:secret@127.0.0.1:1", "--wait")
      #expect(lost.status == 7)
      for (handle, event) in [("3", "tunnel"), ("4", "failed")] {
        let shown = try await plain.errand("show", handle, "--json")
        let steps = try JsonValue.parse(shown.output)["timeline"]?.array?.compactMap { $0["event"]?.string } ?? []
        #expect(steps.contains(event), "\(steps) \(tunnel.errors)")
        #expect(!shown.text.contains("secret"))
      }
      #expect(!lost.text.contains("secret") && !lost.errors.contains("secret") && !plain.log.contains("secret"))
      await plain.stop()
      let daemon = try await RunningDaemon(configuration: "{client: {proxy: '\(url)'}}")
      #expect(try await daemon.errand("get", scene.clear).text.contains("tinyproxy"))
      #expect(try await daemon.errand("get", scene.clear, "--noproxy", "127.0.0.1").text.contains("[] ["))
      await daemon.stop()
    }
  }

  @Test func anAddressStandsInForThatOfAName() async throws {
    try await TransportScene.both { (scene, way, errand) async throws in
      let port = scene.nginx.ports[4]
      let url = "http://lamp.example:\(port)/"
      for entry in ["lamp.example:\(port):127.0.0.1", "lamp.example:*:127.0.0.1", "*:\(port):[127.0.0.1],127.0.0.1"].prefix(2) {
        let ended = try await errand(["get", url, "--resolve", entry])
        #expect(ended.text.contains("[lamp.example]"), "\(way) \(entry): \(ended.errors)")
      }
      // Names under onion are never asked for (RFC 7686).
      let other = try await errand(["get", "http://nowhere.onion/", "--resolve", "lamp.example:80:127.0.0.1"])
      #expect(other.status == 6, "\(way): \(other.errors)")
    }
  }

  @Test func aUnixSocketIsTakenInPlaceOfTheHost() async throws {
    try await TransportScene.both { (scene, way, errand) async throws in
      let ended = try await errand(["get", "http://lamp.example/", "--unix-socket", scene.unixSocket])
      #expect(ended.text.contains("[lamp.example]"), "\(way): \(ended.errors)")
    }
  }

  @Test func aHigherPriorityGoesFirst() async throws {
    var seen: [String] = []
    var held: [Responder] = []
    try await withTarget([
      "/held": { held.append($1) },
      "/x": {
        seen.append($0.head.target)
        $1.text("done")
      },
    ]) { base in
      let daemon = try await RunningDaemon(configuration: "{client: {max_connections_per_host: 1}}")
      #expect(try await daemon.errand("submit", base + "/held").status == 0)
      try await waitUntil("the first") { held.count == 1 }
      for (name, priority) in [("low", "-1"), ("none", nil), ("high", "127")] as [(String, String?)] {
        let words = ["submit", base + "/x?" + name] + (priority.map { ["--priority=" + $0] } ?? [])
        #expect(try await daemon.errand(words).status == 0)
      }
      held[0].text("go")
      try await waitUntil("the others") { seen.count == 3 }
      #expect(seen == ["/x?high", "/x?none", "/x?low"])
      await daemon.stop()
    }
  }

  @Test func aServicesLimitHoldsForItsRequestsOnly() async throws {
    var held: [Responder] = []
    try await withTarget(["/held": { held.append($1) }, "/x": { $1.text("done") }]) { base in
      let daemon = try await RunningDaemon(configuration: "{client: {services: {slow: {max_in_flight: 1}}}}")
      for _ in 0..<2 { #expect(try await daemon.errand("submit", base + "/held", "--service", "slow").status == 0) }
      try await waitUntil("the first") { held.count == 1 }
      #expect(try await daemon.errand("get", base + "/x").text == "done")
      #expect(held.count == 1)
      let explained = try await daemon.errand("explain", "2").text
      #expect(explained.contains("slow"), "\(explained)")
      held[0].text("go")
      try await waitUntil("the second") { held.count == 2 }
      await daemon.stop()
      let direct = try await errand("get", "--direct", base + "/x", "--service", "slow")
      #expect(direct.status == 2)
      #expect(direct.errors.contains("--service: services are settings of a daemon"))
    }
  }

  @Test func aRetryFollowsWhatCurlTakesForPassing() async throws {
    for way in ["direct", "daemon"] {
      var tries = 0
      try await withTarget([
        "/r": {
          tries += 1
          $1.text("try \(tries)", status: tries < 3 ? 502 : 200, headers: ["Retry-After": "0"])
        }
      ]) { base in
        let words = ["get", "-v", "--retry", "2", base + "/r"]
        let daemon = try await RunningDaemon()
        let ended = try await way == "direct" ? errand(words + ["--direct"]) : daemon.errand(words)
        #expect(ended.text == "try 3", "\(way)")
        #expect(ended.errors.contains("3 attempts"), "\(way): \(ended.errors)")
        if way == "daemon" {
          let shown = try JsonValue.parse(try await daemon.errand("show", "1", "--json").output)
          let reasons = shown["timeline"]?.array?.filter { $0["event"] == "retry" }.compactMap { $0["note"]?.string } ?? []
          #expect(reasons.count == 2 && reasons.allSatisfy { $0.contains("502") }, "\(reasons)")
        }
        await daemon.stop()
      }
    }
  }
}
