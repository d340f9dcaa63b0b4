internal import Dispatch
internal import Errand
internal import EventLoop
import Glibc

/// The cookie jars of the owners, each in a file of its own in the state directory.
@LoopActor
final class OwnerJars {
  private nonisolated let directory: String
  private nonisolated let log: Log
  private nonisolated let queue = DispatchQueue(label: "errand.cookies")
  private var jars: [Owner: CookieJar]
  /// Those with a save to come.
  private var unsaved: Set<Owner> = []
  private static let saveDelay = 1

  /// Reads the files: not for the loop. One that can't be read is told, and its owner begins with an empty jar.
  nonisolated init(_ directory: String, _ log: Log) {
    self.directory = directory
    self.log = log
    jars = OwnerJars.read(directory, log)
  }

  private nonisolated static func read(_ directory: String, _ log: Log) -> [Owner: CookieJar] {
    var jars: [Owner: CookieJar] = [:]
    guard let listing = opendir(directory) else { return jars }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
      guard name.hasSuffix(".txt"), let owner = Owner("uid:" + name.dropLast(4)) else { continue }
      let jar = CookieJar()
      do throws(SystemError) {
        try jar.load(path: directory + "/" + name)
      } catch {
        log.write(.error, "can't read the cookies of an owner", [("path", directory + "/" + name), ("reason", "\(error)")])
      }
      jars[owner] = jar
    }
    return jars
  }

  /// An owner's jar, made with its first use.
  func jar(_ owner: Owner) -> CookieJar {
    let jar = jars[owner] ?? CookieJar()
    jars[owner] = jar
    if jar.onChange == nil {
      jar.onChange = { [weak self] in EventLoop.shared.enqueue { self?.changed(owner) } }
    }
    return jar
  }

  private func changed(_ owner: Owner) {
    guard unsaved.insert(owner).inserted else { return }
    queue.asyncAfter(deadline: .now() + .seconds(OwnerJars.saveDelay)) { EventLoop.shared.enqueue { self.save(owner) } }
  }

  private func save(_ owner: Owner) {
    guard unsaved.remove(owner) != nil, let jar = jars[owner] else { return }
    queue.async { self.write(jar, owner) }
  }

  private nonisolated func write(_ jar: CookieJar, _ owner: Owner) {
    mkdir(directory, 0o700)
    let path = "\(directory)/\(owner.uid).txt"
    do throws(SystemError) {
      try jar.save(path: path)
    } catch {
      log.write(.error, "can't write the cookies of an owner", [("path", path), ("reason", "\(error)")])
    }
  }

  /// Writes what is not written yet; returns when it is on the disk.
  func settle() async {
    let owed = unsaved.compactMap { owner in jars[owner].map { (owner, $0) } }
    unsaved = []
    await withCheckedContinuation { continuation in
      queue.async {
        for (owner, jar) in owed { self.write(jar, owner) }
        continuation.resume()
      }
    }
  }
}
