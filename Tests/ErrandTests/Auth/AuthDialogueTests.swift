import HttpWire
import Testing

@testable import Errand

@Suite("What is answered to challenges")
struct AuthDialogueTests {
  static let digest = "Digest realm=r, nonce=n, qop=auth"
  static let stale = "Digest realm=r, nonce=n, qop=auth, stale=true"
  static let any = HttpCredentials.any(user: "u", password: "p")
  static let basic = HttpCredentials.basic(user: "u", password: "p")
  static let fresh = AuthUse.digest(realm: "r", isFresh: true)
  static let known = AuthUse.digest(realm: "r", isFresh: false)

  struct Case: Sendable, CustomTestStringConvertible {
    var said: AuthUse
    var credentials = AuthDialogueTests.any
    var challenge: String
    var wasSentOnce = true
    /// `basic`, `digest` or `-`.
    var answer: String
    var testDescription: String { "\(said) then \(challenge)" }
  }

  static let cases: [Case] = [
    Case(said: .nothing, challenge: digest, answer: "digest"), Case(said: .nothing, challenge: "Basic", answer: "basic"),
    Case(said: .nothing, challenge: "Basic, \(digest)", answer: "digest"), Case(said: .nothing, challenge: "Negotiate", answer: "-"),
    Case(said: .nothing, challenge: "", answer: "-"), Case(said: .basic, challenge: "Basic", answer: "-"),
    Case(said: .basic, credentials: basic, challenge: "Basic", answer: "-"),
    Case(said: .basic, credentials: basic, challenge: digest, answer: "-"),
    Case(said: .basic, challenge: "Basic, \(digest)", answer: "digest"), Case(said: fresh, challenge: digest, answer: "-"),
    Case(said: fresh, challenge: digest, wasSentOnce: false, answer: "digest"), Case(said: fresh, challenge: stale, answer: "digest"),
    Case(said: known, challenge: digest, answer: "digest"), Case(said: known, challenge: stale, answer: "digest"),
    Case(said: .nothing, challenge: stale, answer: "digest"), Case(said: .own, challenge: digest, answer: "-"),
    Case(said: .own, challenge: "Basic", answer: "-"),
    Case(said: .bearer, credentials: .bearer("t"), challenge: "Bearer, Basic, \(digest)", answer: "-"),
  ]

  private func text(_ choice: AuthChoice?) -> String {
    switch choice {
    case nil: "-"
    case .basic: "basic"
    case .digest: "digest"
    }
  }

  @Test("only what is new is said", arguments: cases)
  func answers(given: Case) {
    var dialogue = AuthDialogue()
    dialogue.said = given.said
    let answer = dialogue.answer(
      to: AuthChallenge.all(in: given.challenge), with: given.credentials, wasSentOnce: given.wasSentOnce)
    #expect(text(answer) == given.answer)
  }

  @Test("answers are bounded, and stale nonces apart from them")
  func bounds() {
    var dialogue = AuthDialogue()
    dialogue.said = AuthDialogueTests.known
    let stale = AuthChallenge.all(in: AuthDialogueTests.stale)
    let other = AuthChallenge.all(in: AuthDialogueTests.digest)
    let count = { (challenges: [AuthChallenge]) in
      (0..<100).prefix { _ in dialogue.answer(to: challenges, with: AuthDialogueTests.any, wasSentOnce: true) != nil }.count
    }
    #expect(count(stale) == Int(AuthDialogue.maximumRenewals))
    #expect(count(other) == Int(AuthDialogue.maximumAnswers))
    #expect(count(stale) == 0 && count(other) == 0)
  }
}
