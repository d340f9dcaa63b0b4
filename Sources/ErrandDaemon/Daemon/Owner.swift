/// Whose requests and delegates are whose: the user at the other end of the socket.
struct Owner: Hashable, Sendable, CustomStringConvertible {
  let uid: UInt32
  /// Such as `uid:1000`.
  let description: String

  var isRoot: Bool { uid == 0 }

  init(uid: UInt32) {
    self.uid = uid
    description = "uid:\(uid)"
  }

  /// The owner written as `description`.
  init?(_ text: String) {
    guard text.hasPrefix("uid:"), let uid = UInt32(text.dropFirst(4)) else { return nil }
    self.init(uid: uid)
  }

  /// The one place that decides: each sees its own, root sees all.
  func sees(_ other: Owner) -> Bool { isRoot || uid == other.uid }

  static func == (left: Owner, right: Owner) -> Bool { left.uid == right.uid }
  func hash(into hasher: inout Hasher) { hasher.combine(uid) }
}
