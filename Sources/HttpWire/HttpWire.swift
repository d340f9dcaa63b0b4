// HttpWire
