// HttpServer
