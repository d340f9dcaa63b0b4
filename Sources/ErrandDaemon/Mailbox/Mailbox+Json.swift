internal import HttpWire

extension Mailbox {
  /// The mailbox's state as the API gives it.
  func write(to writer: inout JsonWriter) {
    writer.beginObject()
    writer.member("name", id.name)
    writer.member("owner", id.owner.description)
    writer.member("type", "mailbox")
    writer.member("last_seq", lastSeq)
    writer.member("acked", acknowledged)
    writer.member("pending", count)
    writer.member("pending_bytes", bytes)
    writer.member("dropped", droppedCount)
    writer.member("followers", followerCount)
    writer.endObject()
  }
}
