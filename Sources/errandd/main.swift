import ErrandDaemon
import EventLoop
import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
await DaemonProgram.run(arguments)
