import ErrandDaemon
import EventLoop
import Glibc

StandardDescriptors.fill()
let arguments = Array(CommandLine.arguments.dropFirst())
await DaemonProgram.run(arguments)
