import Errand
import EventLoop
import Glibc
import HttpWire
import Sqlite
import TestSupport
import Testing

@testable import ErrandDaemon

/// The journal on disk, without a daemon.
struct JournalFileTests {
  private let secret = "Bearer plum-7ab3-secret"

  private func settings(inline: Int = 1_000) -> JournalSettings {
    var settings = JournalSettings()
    settings.inlineBytes = inline
    return settings
  }

  private func event(_ seq: UInt64, _ text: String = "x") -> StoredEvent {
    var bytes: [UInt8] = []
    let start = EventWriter.begin(seq, "finished", &bytes)
    bytes.append(
      ",\"tag\":-5,\"key\":\"k\",\"meta\":{\"a\":1},\"status\":200,\"attempts\":1,\"timings\":{\"queue_us\":4,\"total_us\":99},\"url\":")
    Json.appendQuoted("http://e.example/?" + text, to: &bytes)
    return EventWriter.end(start, &bytes)
  }

  private func ended(_ handle: UInt64, _ seq: UInt64, body: [UInt8] = [1, 2, 3], text: String = "x") -> JournalOperation {
    let response = HttpResponse(status: 200, headers: ["Content-Type": "text/plain"], body: body)
    let event = event(seq, text)
    let result = RequestResult(.finished(response), of: RequestHandle(id: handle), nil, seq: seq, event: event, at: .now())
    let identity = RequestIdentity(
      tag: -5, key: "k", meta: Array("{\"a\":1}".utf8), method: "GET", url: "http://e.example/?\(text)", acceptedAt: .now())
    return .ended(mailbox: 1, seq: seq, at: WallTime(.now()), event, StoredResult(identity, result))
  }

  private let mailbox = JournaledMailbox(id: 1, owner: 1_000, name: "agent-a")

  private func accepted(_ handle: UInt64, _ json: String = "{}") -> JournalOperation {
    .accepted(
      handle: handle, mailbox: 1, at: WallTime(microseconds: 7),
      StoredSubmission(json: Array(json.utf8), headers: [StoredSubmission.Field(name: "traceparent", value: "00-\"ü\"")]))
  }

  private func files(_ directory: TemporaryDirectory) throws -> [String] {
    guard let stream = opendir(directory.file("journal.d")) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  @Test func `what was written is read again as it was`() throws {
    let directory = try TemporaryDirectory()
    do {
      let file = try JournalFile(in: directory.path, settings())
      try file.write([.mailbox(mailbox), accepted(1, "{\"url\": \"x\"}"), accepted(2), accepted(3)])
      try file.write([.sending(handle: 2), ended(3, 11), .happened(mailbox: 1, seq: 10, at: WallTime(.now()), event(10))])
    }
    let content = try JournalFile(in: directory.path, settings()).load()
    #expect(content.mailboxes == [mailbox])
    #expect(content.requests.map(\.handle) == [1, 2])
    #expect(content.requests.map(\.isSending) == [false, true])
    #expect(content.requests.first?.acceptedAt == WallTime(microseconds: 7))
    #expect(content.requests.first?.submission?.json == Array("{\"url\": \"x\"}".utf8))
    #expect(content.requests.first?.submission?.headers == [StoredSubmission.Field(name: "traceparent", value: "00-\"ü\"")])
    #expect(content.events.map(\.seq) == [10, 11])
    #expect(content.events.map(\.handle) == [nil, 3])
    #expect(content.events.map { Array($0.event.jsonBytes) } == [Array(event(10).jsonBytes), Array(event(11).jsonBytes)])
    let stored = try #require(content.events.last?.stored)
    #expect(stored.identity.tag == -5 && stored.identity.key == "k" && stored.identity.meta == Array("{\"a\":1}".utf8))
    #expect(stored.result.state == .finished && stored.result.status == 200 && stored.result.attempts == 1)
    #expect(
      stored.result.timings?.total == 99 && stored.result.timings?.queue == 4 && stored.result.timings?.dns == nil
        && stored.result.steps.isEmpty)
    #expect(stored.result.contentType == "text/plain" && stored.result.isBodyOnDisk && stored.result.handle == 3)
    let file = try JournalFile(in: directory.path, settings())
    #expect(try file.body(mailbox: 1, seq: 11) == [1, 2, 3])
    #expect(try file.body(mailbox: 1, seq: 10) == nil)
  }

  @Test func `acknowledging, dropping and forgetting take from it what they should`() throws {
    let directory = try TemporaryDirectory()
    let file = try JournalFile(in: directory.path, settings())
    try file.write([.mailbox(mailbox)] + (1...6).map { ended($0, $0) })
    try file.write([.acknowledged(mailbox: 1, through: 2)])
    #expect(try file.load().events.map(\.seq) == [3, 4, 5, 6])
    #expect(try file.load().mailboxes.first?.acknowledged == 2)
    // Nobody has read 3 and 4: their results are still there.
    try file.write([.dropped(mailbox: 1, from: 3, through: 4, count: 2)])
    #expect(try file.load().events.map(\.isWaiting) == [false, false, true, true])
    #expect(try file.load().mailboxes.first?.droppedThrough == 4)
    try file.write([.resultGone(mailbox: 1, seq: 3), .resultGone(mailbox: 1, seq: 5)])
    #expect(try file.load().events.map(\.seq) == [4, 5, 6])
    #expect(try file.load().events.map { $0.stored != nil } == [true, false, true])
    try file.write([.dropped(mailbox: 1, from: 5, through: 5, count: 3)])
    #expect(try file.load().events.map(\.seq) == [4, 6])
    try file.write([.mailboxGone(1)])
    let content = try file.load()
    #expect(content.events.isEmpty && content.mailboxes.isEmpty)
  }

  @Test func `what is large is a file of its own, which goes with its row`() throws {
    let directory = try TemporaryDirectory()
    let file = try JournalFile(in: directory.path, settings(inline: 2_000))
    let large = [UInt8](repeating: 0x61, count: 5_000)
    try file.write([.mailbox(mailbox), accepted(1, String(repeating: "j", count: 5_000)), accepted(2)])
    #expect(try files(directory) == ["submission-1-0"])
    try file.write([
      ended(1, 1, body: large), ended(2, 2, body: large, text: String(repeating: "t", count: 5_000)), ended(3, 3, body: large),
    ])
    #expect(try files(directory) == ["body-1-1", "body-1-2", "body-1-3", "frame-1-2"])
    #expect(try file.body(mailbox: 1, seq: 2) == large)
    #expect(try file.load().events.map(\.event.frame.count) == [event(1).frame.count, event(2).frame.count + 4_999, event(3).frame.count])
    let bytes = try file.byteCount()
    try file.write([.resultGone(mailbox: 1, seq: 2)])
    #expect(try files(directory) == ["body-1-1", "body-1-3", "frame-1-2"])
    #expect(try file.byteCount() < bytes - 4_900)
    try file.write([.acknowledged(mailbox: 1, through: 2)])
    #expect(try files(directory) == ["body-1-3"])
    try file.write([.mailboxGone(1)])
    #expect(try files(directory).isEmpty)
    // What a process left that ended before its row was written, and what it had not removed yet.
    try directory.write("journal.d/body-9-9", [1])
    try directory.write("journal.d/frame-1-7.new", [1])
    _ = try file.load()
    #expect(try files(directory).isEmpty)
  }

  @Test func `a batch is written wholly or not at all`() throws {
    let directory = try TemporaryDirectory()
    let file = try JournalFile(in: directory.path, settings())
    try file.write([.mailbox(mailbox), accepted(1)])
    // Its folder is gone, and the second one is too large for a row.
    #expect(rmdir(directory.file("journal.d")) == 0)
    let fault = #expect(throws: JournalFault.self) {
      try file.write([.withdrawn(handle: 1), accepted(2), accepted(3, String(repeating: "j", count: 5_000))])
    }
    #expect(fault?.isLasting == false && fault?.description.contains("journal.d/submission-3-0") == true)
    #expect(try file.load().requests.map(\.handle) == [1])
    #expect(mkdir(directory.file("journal.d"), 0o700) == 0)
    try file.write([.withdrawn(handle: 1), accepted(2), accepted(3, String(repeating: "j", count: 5_000))])
    #expect(try file.load().requests.map(\.handle) == [2, 3])
  }

  @Test func `no secret stands in its files`() throws {
    let directory = try TemporaryDirectory()
    let file = try JournalFile(in: directory.path, settings(inline: 100_000))
    try file.write([.mailbox(mailbox), accepted(1, "{\"auth\": \"\(secret)\"}"), ended(2, 1, body: Array(secret.utf8), text: secret)])
    file.checkpoint()
    for name in ["journal.db", "journal.db-wal"] {
      let bytes = (try? WholeFile.read(directory.file(name), limit: 1 << 24)) ?? []
      #expect(!String(decoding: bytes, as: UTF8.self).contains("plum-7ab3"))
      #expect(name != "journal.db" || bytes.count > 8_192)
    }
    var status = stat()
    #expect(stat(directory.file("journal.key"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(stat(directory.file("journal.db"), &status) == 0 && status.st_mode & 0o077 == 0)
  }

  @Test func `without its key, with another one, and after damage it says so and stays as it is`() throws {
    let directory = try TemporaryDirectory()
    do {
      let file = try JournalFile(in: directory.path, settings())
      try file.write([.mailbox(mailbox)] + (1...200).map { ended($0, $0, body: [UInt8](repeating: 1, count: 900)) })
      file.checkpoint()
    }
    let key = try WholeFile.read(directory.file("journal.key"), limit: 100)
    unlink(directory.file("journal.key"))
    #expect(throws: JournalFault.self) { try JournalFile(in: directory.path, settings()) }
    try directory.write("journal.key", [UInt8](repeating: 7, count: 32))
    #expect(try JournalFile(in: directory.path, settings()).load().unreadable == 200)
    try directory.write("journal.key", key)
    var bytes = try WholeFile.read(directory.file("journal.db"), limit: 1 << 24)
    for index in stride(from: 8_192, to: bytes.count, by: 4_096) { for offset in 0..<64 { bytes[index + offset] ^= 0xA5 } }
    try directory.write("journal.db", bytes)
    let fault = #expect(throws: JournalFault.self) { _ = try JournalFile(in: directory.path, settings()).load() }
    #expect(fault?.isLasting == true && fault?.description.contains("journal.db") == true)
    try directory.write("journal.db", Array("this is no database at all, and it is long enough to be looked at".utf8))
    #expect(throws: JournalFault.self) { try JournalFile(in: directory.path, settings()) }
  }

  @Test func `tables of a later version are left alone`() throws {
    let directory = try TemporaryDirectory()
    do {
      let file = try JournalFile(in: directory.path, settings())
      try file.write([.mailbox(mailbox)])
    }
    let database = try SqliteDatabase(directory.file("journal.db"))
    try database.run("PRAGMA user_version = 99")
    let fault = #expect(throws: JournalFault.self) { try JournalFile(in: directory.path, settings()) }
    #expect(fault?.isLasting == true && fault?.description.contains("version 99") == true)
    #expect(try database.integer("SELECT count(*) FROM mailboxes") == 1)
  }

  @Test func `each version of the tables is reached from each earlier one`() throws {
    for version in 0...JournalSchema.migrations.count {
      let directory = try TemporaryDirectory()
      let database = try SqliteDatabase(directory.file("old.db"))
      for (index, sql) in JournalSchema.migrations.enumerated().prefix(version) {
        try database.run("\(sql) PRAGMA user_version = \(index + 1)")
      }
      try JournalSchema.prepare(database)
      #expect(try database.integer("PRAGMA user_version") == Int64(JournalSchema.migrations.count))
      _ = try JournalStatements(database)
    }
  }

  @Test func `freed pages go back to the file system piece by piece`() throws {
    let directory = try TemporaryDirectory()
    let file = try JournalFile(in: directory.path, settings(inline: 100_000))
    #expect(!file.vacuum(pages: 100))
    try file.write([.mailbox(mailbox)] + (1...300).map { ended($0, $0, body: [UInt8](repeating: 1, count: 20_000)) })
    try file.write([.acknowledged(mailbox: 1, through: 300)])
    file.checkpoint()
    let before = try WholeFile.read(directory.file("journal.db"), limit: 1 << 26).count
    var rounds = 0
    while file.vacuum(pages: 100) { rounds += 1 }
    file.checkpoint()
    #expect(rounds > 1)
    #expect(try WholeFile.read(directory.file("journal.db"), limit: 1 << 26).count < before)
  }
}
