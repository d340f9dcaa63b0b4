internal import EventLoop
internal import HttpServer
internal import HttpWire

/// Finding the mailbox that a path names.
extension DaemonCore {
  /// The delegate of the path; root may name another user's with `?owner=uid:N`.
  func delegateID(_ call: ApiCall, _ query: inout QueryReader) throws(Problem) -> DelegateID {
    let name = call.parameters[0]
    guard SubmissionRules.isDelegateName(name) else {
      throw .invalidValue("name", "must be 1 to \(SubmissionRules.delegateBytes) of the characters A-Z a-z 0-9 . _ -", place: "path")
    }
    guard let text = try query.text("owner") else { return DelegateID(owner: call.owner, name: name) }
    guard let owner = Owner(text) else { throw .invalidValue("owner", "must be written as uid:1000", place: "query") }
    guard call.owner.sees(owner) else { throw .forbidden("the delegates of \(owner) are its own", field: "owner", place: "query") }
    return DelegateID(owner: owner, name: name)
  }

  /// Made if there is none.
  func makeMailbox(_ id: DelegateID, field: String? = nil) throws(Problem) -> Mailbox {
    guard let mailbox = store.makeMailbox(id) else {
      throw .tooMany("delegates", limit: "delegates_per_owner", store.limits.delegatesPerOwner, field: field)
    }
    return mailbox
  }

  func mailbox(_ id: DelegateID) throws(Problem) -> Mailbox {
    guard let mailbox = store.mailbox(id) else {
      throw Problem(
        kind: "unknown_delegate", status: 404, title: "Unknown delegate",
        detail: "there is no delegate \(Problem.excerpt(id.name)); PUT makes one, and so does the first request for it", field: "name",
        place: "path")
    }
    return mailbox
  }
}
