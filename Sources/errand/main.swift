internal import Glibc

StandardDescriptors.fill()
signal(SIGPIPE, SIG_IGN)
exit(CommandLineRun.run(Array(CommandLine.arguments.dropFirst())).rawValue)
