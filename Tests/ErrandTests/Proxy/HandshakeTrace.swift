import Testing

@testable import Errand

/// How a dialogue went: everything sent, and how it ended.
struct HandshakeTrace: Equatable, Sendable {
  var sent: [[UInt8]]
  /// `.needsMore` if it has not ended.
  var end: TunnelStep
  var surplus: [UInt8] = []

  /// Feeds pieces until the dialogue ends; what is left over then is fed in one more piece, as a driver would find it on the connection.
  init(_ handshake: some TunnelHandshake, _ pieces: [[UInt8]]) {
    var handshake = handshake
    sent = [handshake.start()]
    end = .needsMore
    for piece in pieces {
      let step = handshake.received(piece)
      switch step {
      case .needsMore: continue
      case .send(let bytes): sent.append(bytes)
      case .done, .failed: end = step
      }
    }
    surplus = handshake.surplus
  }
}

/// The same dialogue whole where `rounds` are whole, byte by byte, and with each round cut at each place.
func traces(_ handshake: some TunnelHandshake, _ rounds: [[UInt8]]) -> [HandshakeTrace] {
  var traces = [HandshakeTrace(handshake, rounds), HandshakeTrace(handshake, rounds.flatMap { $0.map { [$0] } })]
  for (index, round) in rounds.enumerated() {
    for cut in 1..<max(1, round.count) {
      let halves = [Array(round[..<cut]), Array(round[cut...])]
      traces.append(HandshakeTrace(handshake, rounds[..<index] + halves + rounds[(index + 1)...]))
    }
  }
  return traces
}

extension TunnelStep {
  var failure: TunnelError? {
    if case .failed(let error) = self { error } else { nil }
  }
}
