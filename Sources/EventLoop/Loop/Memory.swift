internal import CLibevent

/// The process's memory.
public enum Memory {
  /// Gives memory that was freed, and that malloc keeps, back to the system. Takes some milliseconds; not for the loop.
  public static func giveBack() {
    errand_trim_memory()
  }
}
