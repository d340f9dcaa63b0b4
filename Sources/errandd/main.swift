import ErrandDaemon
import EventLoop
import Glibc

StandardDescriptors.fill()
// What it makes is its user's alone, where nothing else is said.
umask(0o077)
// The loop's, and one for all the others.
Memory.limitArenas(2)
let arguments = Array(CommandLine.arguments.dropFirst())
await DaemonProgram.run(arguments)
