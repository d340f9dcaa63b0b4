import ErrandDaemon
import EventLoop
import Glibc

StandardDescriptors.fill()
// The loop's, and one for all the others.
Memory.limitArenas(2)
let arguments = Array(CommandLine.arguments.dropFirst())
await DaemonProgram.run(arguments)
