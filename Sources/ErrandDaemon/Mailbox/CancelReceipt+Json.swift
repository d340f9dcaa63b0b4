internal import Errand

extension CancelReceipt {
  /// The receipt as the control API gives it.
  func write(to bytes: inout [UInt8]) {
    bytes.append("{\"handle\":\"")
    bytes.append(decimal: handle.id)
    bytes.append("\",\"result\":\"")
    bytes.append(contentsOf: result.rawValue.utf8)
    bytes.append("\",\"sent\":\"")
    bytes.append(contentsOf: sent.rawValue.utf8)
    bytes.append("\",\"bytes_written\":")
    bytes.append(decimal: bytesWritten)
    bytes.append(",\"connection\":\"")
    bytes.append(contentsOf: connection.rawValue.utf8)
    bytes.append("\"}")
  }
}
