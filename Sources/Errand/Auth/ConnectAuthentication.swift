internal import EventLoop
internal import HttpWire

/// What CONNECT says to a proxy about who is asking, over as many connections as that takes.
@LoopActor
struct ConnectAuthentication {
  private let proxy: Proxy
  private let credentials: HttpCredentials?
  private let authority: String
  private let authenticator: Authenticator
  private var dialogue = AuthDialogue()
  private var answer: AuthChoice?

  init(_ proxy: Proxy, _ origin: Origin, _ authenticator: Authenticator) {
    self.proxy = proxy
    self.authenticator = authenticator
    credentials = proxy.credentials.map(HttpCredentials.init)
    authority = ConnectHandshake.authority(host: origin.host, port: origin.port)
  }

  /// What the next connection's CONNECT says; nil for the credentials in Basic, which a proxy that asked for nothing yet is told.
  mutating func authorization() -> String? {
    let said = authenticator.toConnect(proxy, authority: authority, answer)
    answer = nil
    dialogue.said = said?.use ?? .basic
    return said?.value
  }

  /// Whether another connection would have something new to say to a proxy that answered with these.
  mutating func answers(_ challenges: [AuthChallenge]) -> Bool {
    guard !challenges.isEmpty, let credentials else { return false }
    answer = dialogue.answer(to: challenges, with: credentials, wasSentOnce: true)
    if answer == nil, case .digest(let realm, _) = dialogue.said {
      authenticator.memory.forget(realm, of: AuthSpace(proxy), for: credentials)
    }
    return answer != nil
  }
}
