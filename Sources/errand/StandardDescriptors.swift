internal import Glibc

/// The descriptors 0, 1 and 2, which others take for standard input, output and error.
enum StandardDescriptors {
  /// Opens /dev/null in the place of those that are closed, so that no socket or file gets their number and is then written to as if it
  /// were the output. In the contrary direction: reading or writing them fails, as it would have.
  static func fill() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is this one.
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}
