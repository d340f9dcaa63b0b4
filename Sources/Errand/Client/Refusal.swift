/// Why a client does not take a request.
struct Refusal {
  let words: String
  /// The part of the request that is wrong.
  var field: String?
  /// The limit that is reached, by its name in settings.
  var limit: String?
  /// How long it would be refused yet, where that is known.
  var retryAfter: Duration?
}
