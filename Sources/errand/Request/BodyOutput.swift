internal import EventLoop
internal import Glibc
internal import HttpWire

/// Writes one response to standard output or a file as it comes, with progress for a person where it is large.
///
/// The body of a failing status waits until it is known to be the last answer: it may be tried again, or not be wanted.
struct BodyOutput: Sendable {
  private static let heldLimit = 16 << 20
  private static let largeBody: Int64 = 1 << 20

  private let writing: ResponseWriting
  private let mayBeRetried: Bool
  private var descriptor: Int32?
  private var head: ResponseHead?
  private var held: [UInt8] = []
  private var isHolding = false
  private var progress: Progress

  init(_ writing: ResponseWriting, mayBeRetried: Bool) {
    self.writing = writing
    self.mayBeRetried = mayBeRetried
    // On the terminal that shows the body, progress would be written into it.
    let isShown = !writing.isSilent && Terminal.isTerminal(STDERR_FILENO) && (writing.output != nil || !Terminal.isTerminal(STDOUT_FILENO))
    progress = Progress(isShown: isShown, from: BodyOutput.largeBody)
  }

  mutating func receive(_ head: ResponseHead) {
    self.head = head
    held = []
    isHolding = head.status >= 400 && (writing.failsOnStatus || mayBeRetried)
    progress.start(total: head.headers["Content-Length"].flatMap { Int64($0) })
    if !isHolding { writeHead() }
  }

  mutating func receive(_ bytes: [UInt8]) {
    progress.advance(Int64(bytes.count))
    guard isHolding else { return write(bytes) }
    if writing.failsOnStatus { return }
    held += bytes
    if held.count > BodyOutput.heldLimit { release() }
  }

  /// The response is whole.
  mutating func finish() {
    progress.finish()
    if isHolding, !writing.failsOnStatus { release() }
    if writing.output != nil, !(isHolding && writing.failsOnStatus) { write([]) }
    if let descriptor, descriptor != STDOUT_FILENO, close(descriptor) != 0 { Output.ended(errno, writing.output ?? "output") }
    descriptor = nil
  }

  /// The rest won't come.
  mutating func abandon() {
    progress.finish()
  }

  private mutating func release() {
    isHolding = false
    writeHead()
    write(held)
    held = []
  }

  private mutating func writeHead() {
    if writing.includesHead, let head { write(ResponseWriting.text(of: head)) }
  }

  private mutating func write(_ bytes: [UInt8]) {
    if descriptor == nil {
      guard let path = writing.output else {
        descriptor = STDOUT_FILENO
        return write(bytes)
      }
      do throws(Failure) {
        descriptor = try File.create(path)
      } catch {
        Output.note(error.message)
        exit(error.code.rawValue)
      }
    }
    if let descriptor, let number = Output.attempt(bytes, descriptor) { Output.ended(number, writing.output ?? "output") }
  }
}
