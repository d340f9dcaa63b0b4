internal import HttpWire

/// How one exchange said who is asking.
enum AuthUse: Sendable, Hashable {
  case nothing
  /// By a field that the caller set, which is not for us to change.
  case own
  case basic
  /// The credentials' own token.
  case bearer
  /// A token of the request's source.
  case token(String)
  /// The request's source has to be asked for a token before anything is sent.
  case awaitsToken
  /// `isFresh`: with the nonce of a challenge to this very request, never used before.
  case digest(realm: String, isFresh: Bool)

  var isDigest: Bool { if case .digest = self { true } else { false } }
}

/// The same to the origin and to the proxy that the request itself is sent to.
struct AuthUses: Sendable {
  var origin = AuthUse.nothing
  var proxy = AuthUse.nothing

  /// Nothing that has to be remembered of the exchange.
  var isPlain: Bool { origin == .nothing && proxy == .nothing }
}

/// What an exchange is to say because of the answer to the one before. Behind a reference, for few have one.
final class AuthAnswers: Sendable {
  let origin: AuthChoice?
  let proxy: AuthChoice?
  let token: String?

  init(origin: AuthChoice? = nil, proxy: AuthChoice? = nil, token: String? = nil) {
    self.origin = origin
    self.proxy = proxy
    self.token = token
  }
}
