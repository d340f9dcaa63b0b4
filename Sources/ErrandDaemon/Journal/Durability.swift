/// Whether a request outlives the process that took it.
enum Durability: String, Sendable, CaseIterable {
  /// In memory only.
  case volatile
  /// On disk before it is answered, until its event is acknowledged.
  case journaled
}
