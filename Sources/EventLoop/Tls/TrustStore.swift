internal import COpenSSL
internal import Glibc

/// The certificates that a client trusts. All are read at once, for OpenSSL's own directory look-up would read the disk in the
/// middle of a handshake, on the loop.
enum TrustStore {
  /// A new store with what `settings` name, and how many certificates it has.
  static func make(_ settings: TlsSettings) throws(TlsError) -> (store: OpaquePointer, count: Int) {
    var certificates = settings.useSystemStore ? system() : []
    if let file = settings.caFile { certificates += try TrustStore.certificates(inFile: file) }
    if let directory = settings.caDirectory { certificates += try TrustStore.certificates(inDirectory: directory) }
    if let text = settings.caPem { certificates += try nonempty(PemSource(name: "the CA given as PEM", text: text)) }
    guard let store = X509_STORE_new() else { throw TlsError(.settings, "no memory for a store of certificates") }
    OpenSslErrors.clear()
    for certificate in certificates { X509_STORE_add_cert(store, certificate.pointer) }
    return (store, certificates.count)
  }

  static func certificates(inFile path: String) throws(TlsError) -> [X509Certificate] {
    try nonempty(PemSource("the CA file", file: path))
  }

  /// Of all files that are named like certificates; what of them can't be read is left out.
  static func certificates(inDirectory path: String) throws(TlsError) -> [X509Certificate] {
    var certificates: [X509Certificate] = []
    for file in try files(in: path, where: isCertificateFile) {
      certificates += try PemSource("the CA file", file: file).certificates(skipsBad: true)
    }
    guard !certificates.isEmpty else { throw TlsError(.settings, "the CA directory \(path) has no certificate") }
    return certificates
  }

  /// Where the system's store is, for people.
  static var systemPlaces: String {
    let places = SystemPlaces.current()
    return "\(places.file), \(places.directory)"
  }

  private static func nonempty(_ source: PemSource) throws(TlsError) -> [X509Certificate] {
    let found = try source.certificates()
    guard !found.isEmpty else { throw TlsError(.settings, "\(source.name) has no certificate") }
    return found
  }

  // MARK: The system's store

  private struct SystemPlaces: Hashable {
    let file: String
    let directory: String
    /// The environment names the directory.
    let isDirectoryNamed: Bool
    /// Changed with the files, so that an update of the system's store is seen.
    let stamps: [FileStamp?]

    static func current() -> SystemPlaces {
      let file = text(X509_get_default_cert_file_env()).flatMap(variable) ?? text(X509_get_default_cert_file()) ?? ""
      let named = text(X509_get_default_cert_dir_env()).flatMap(variable)
      let directory = named ?? text(X509_get_default_cert_dir()) ?? ""
      let stamps = ([file] + directory.split(separator: ":").map(String.init)).map { FileStamp($0) }
      return SystemPlaces(file: file, directory: directory, isDirectoryNamed: named != nil, stamps: stamps)
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
  }

  private static let loaded = Locked<(places: SystemPlaces, certificates: [X509Certificate])?>(nil)

  private static func system() -> [X509Certificate] {
    let places = SystemPlaces.current()
    if let known = loaded.withLock({ $0 }), known.places == places { return known.certificates }
    // What is unreadable in the system's store is as good as not there; OpenSSL holds it the same way.
    func read(_ path: String) -> [X509Certificate] { (try? PemSource("", file: path).certificates(skipsBad: true)) ?? [] }
    var certificates = read(places.file)
    // A distribution's file and directory hold the same, and the directory takes much longer to read.
    if certificates.isEmpty || places.isDirectoryNamed {
      for directory in places.directory.split(separator: ":") {
        for path in (try? files(in: String(directory), where: isHashedName)) ?? [] { certificates += read(path) }
      }
    }
    let found = certificates
    loaded.withLock { $0 = (places, found) }
    return found
  }

  private static func files(in directory: String, where isWanted: (String) -> Bool) throws(TlsError) -> [String] {
    guard !directory.utf8.contains(0), let opened = opendir(directory) else {
      throw TlsError(.settings, "the CA directory \(directory) can't be read: \(SystemError.last("opendir").reason)")
    }
    defer { closedir(opened) }
    var found: [String] = []
    while let entry = readdir(opened) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if isWanted(name) { found.append("\(directory)/\(name)") }
    }
    return found.sorted()
  }

  /// Such as `5ed36f99.0`: what `openssl rehash` makes, and the only names that OpenSSL looks for.
  private static func isHashedName(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].utf8.count == 8 && parts[0].allSatisfy(\.isHexDigit) && Int(parts[1]) != nil
  }

  private static func isCertificateFile(_ name: String) -> Bool {
    name.hasSuffix(".pem") || name.hasSuffix(".crt") || isHashedName(name)
  }
}

/// Tells one content of a file from a later one.
struct FileStamp: Hashable {
  private let device: UInt
  private let inode: UInt
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// nil if there is no such file.
  init?(_ path: String) {
    var status = stat()
    guard !path.utf8.contains(0), stat(path, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
