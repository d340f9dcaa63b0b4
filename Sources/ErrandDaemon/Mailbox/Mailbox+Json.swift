internal import Errand
internal import EventLoop
internal import HttpWire

extension DaemonCore {
  /// A delegate's state as the API gives it. `secret`: only for who has just declared it.
  func write(_ mailbox: Mailbox, secret: String? = nil, to writer: inout JsonWriter) {
    let sender = webhooks[mailbox.id]
    writer.beginObject()
    writer.member("name", mailbox.id.name)
    writer.member("owner", mailbox.id.owner.description)
    writer.member("type", sender == nil ? "mailbox" : "webhook")
    writer.member("last_seq", mailbox.lastSeq)
    writer.member("acked", mailbox.acknowledged)
    writer.member("pending", mailbox.count)
    writer.member("pending_bytes", mailbox.bytes)
    writer.member("dropped", mailbox.droppedCount)
    writer.member("followers", mailbox.followerCount)
    if let sender { write(sender, secret: secret, to: &writer) }
    writer.endObject()
  }

  private func write(_ sender: WebhookSender, secret: String?, to writer: inout JsonWriter) {
    writer.key("webhook")
    writer.beginObject()
    // What is behind the question mark may be a secret.
    writer.member("url", String(sender.target.url.prefix { $0 != "?" && $0 != "#" }))
    if let path = sender.target.unixSocket { writer.member("unix_socket", path) }
    if let secret { writer.member("secret", secret) }
    writer.member("state", sender.state.rawValue)
    writer.member("delivered", sender.delivered)
    writer.member("given_up", sender.givenUp)
    writer.member("attempts", sender.attempts)
    if let error = sender.lastError { writer.member("last_error", error) }
    if let due = sender.dueAt { writer.member("next_attempt_ms", max(0, due.microseconds(since: .now()) / 1_000)) }
    writer.endObject()
  }
}
