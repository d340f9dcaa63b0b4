internal import CLibevent

/// The process's memory.
public enum Memory {
  /// Gives memory that was freed, and that malloc keeps, back to the system. Takes some milliseconds; not for the loop.
  public static func giveBack() {
    errand_trim_memory()
  }

  /// At most so many areas from which threads get their memory: each keeps of a burst what it has at its end. For a process whose work is done on few
  /// threads, before it has any.
  public static func limitArenas(_ count: Int) {
    errand_limit_arenas(Int32(clamping: count))
  }
}
