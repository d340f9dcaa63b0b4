// Requests are described with HttpWire's methods and headers, and with EventLoop's settings of TLS and TCP: who imports Errand has them.
@_exported public import EventLoop
@_exported public import HttpWire
