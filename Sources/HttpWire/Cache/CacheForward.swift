/// Why a request goes to the server (the values of `fwd`, RFC 9211 2.2).
public enum CacheForward: String, Sendable, Hashable, CaseIterable {
  /// The policy or the request keeps it away from the cache.
  case bypass
  /// Its method is not one that is stored.
  case method
  /// Nothing is stored under its URL.
  case uriMiss = "uri-miss"
  /// What is stored under its URL answers other requests (Vary).
  case varyMiss = "vary-miss"
  /// Nothing is stored that answers it.
  case miss
  /// What is stored is fresh, but the request or its policy wants the server asked.
  case request
  /// What is stored is stale, or needs validation each time.
  case stale
}
