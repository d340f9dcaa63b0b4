internal import Glibc

/// Writing to standard output and standard error, unbuffered and whole.
enum Output {
  static func write(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) {
    if let number = attempt(bytes, descriptor) { ended(number, "output") }
  }

  static func line(_ text: String) {
    write(Array(text.utf8) + [0x0a])
  }

  /// A message to the person, never to the program that reads the output. That it can't be written is no failure.
  static func note(_ text: String) {
    _ = attempt(Array("errand: \(Text.printable(text))\n".utf8), STDERR_FILENO)
  }

  /// Words to standard error as they are.
  static func raw(_ text: String) {
    _ = attempt(Array(text.utf8), STDERR_FILENO)
  }

  /// A reader that has seen enough is no failure; a full disk is.
  static func ended(_ number: Int32, _ what: String) -> Never {
    if number == EPIPE { exit(ExitCode.ok.rawValue) }
    note("writing \(what): \(String(cString: strerror(number)))")
    exit(ExitCode.failure.rawValue)
  }

  /// The error number if the bytes can't be written.
  static func attempt(_ bytes: [UInt8], _ descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&wanted, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
  }
}
