/// Why a client does not take a request just now.
struct Refusal {
  let words: String
  /// The limit that is reached, by its name in settings.
  var limit: String?
  /// How long it would be refused yet, where that is known.
  var retryAfter: Duration?
}
