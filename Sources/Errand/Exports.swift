// Requests are described with HttpWire's methods and headers: who imports Errand has them.
@_exported public import HttpWire
