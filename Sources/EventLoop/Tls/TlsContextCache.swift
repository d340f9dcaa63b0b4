/// The contexts of a process or a client, one for each of the settings in use. From any thread.
public final class TlsContextCache: Sendable {
  /// Above this the context that was not used for longest is let go; its connections live on.
  public static let maxContexts = 256
  /// Bytes of the certificates that settings bring themselves, over all contexts; they take some ten times as much in memory. Above this, too,
  /// those that were not used for longest are let go.
  public static let maxPemBytes = 4 * 1_048_576

  private struct Entry {
    let context: TlsContext
    let stamps: [FileStamp?]
    var lastUse: UInt64
    let pemBytes: Int
  }

  private struct State {
    var entries: [TlsSettings: Entry] = [:]
    var uses: UInt64 = 0
    var pemBytes = 0

    mutating func forgetOldest() {
      guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return }
      forget(oldest.key)
    }

    mutating func forget(_ settings: TlsSettings) {
      pemBytes -= entries.removeValue(forKey: settings)?.pemBytes ?? 0
    }
  }

  private let state = Locked(State())
  private let onUnverified: (@Sendable (String) -> Void)?

  /// `onUnverified` is that of ``TlsContext/init(_:onUnverified:)``.
  public init(onUnverified: (@Sendable (String) -> Void)? = nil) {
    self.onUnverified = onUnverified
  }

  /// The context for `settings`, made now if there is none or if a file that they name has changed. Reads files, so not for the loop.
  public func context(for settings: TlsSettings) throws(TlsError) -> TlsContext {
    let stamps = TlsContextCache.stamps(settings)
    let known = state.withLock { state -> TlsContext? in
      state.uses += 1
      guard let entry = state.entries[settings], entry.stamps == stamps else { return nil }
      state.entries[settings]?.lastUse = state.uses
      return entry.context
    }
    if let known { return known }
    // Made without the lock: others need not wait for the disk.
    let made = try TlsContext(settings, onUnverified: onUnverified)
    return state.withLock { state in
      if let entry = state.entries[settings], entry.stamps == stamps { return entry.context }
      state.forget(settings)
      let pemBytes = [settings.caPem, settings.certificatePem].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
      while !state.entries.isEmpty,
        state.entries.count >= TlsContextCache.maxContexts || state.pemBytes + pemBytes > TlsContextCache.maxPemBytes
      {
        state.forgetOldest()
      }
      state.entries[settings] = Entry(context: made, stamps: stamps, lastUse: state.uses, pemBytes: pemBytes)
      state.pemBytes += pemBytes
      return made
    }
  }

  /// Forgets all contexts, and the sessions with them: the next connections read all files anew.
  public func removeAll() {
    state.withLock { state in
      state.entries = [:]
      state.pemBytes = 0
    }
  }

  public var count: Int { state.withLock { $0.entries.count } }

  private static func stamps(_ settings: TlsSettings) -> [FileStamp?] {
    [settings.caFile, settings.caDirectory, settings.certificateFile, settings.keyFile].compactMap { $0 }.map { FileStamp($0) }
  }
}
