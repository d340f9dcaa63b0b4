import Foundation
import TestSupport
import Testing

struct CommandCompletionTests {
  @Test func `bash is told every command, and the options of each`() async throws {
    let errand = try Programs.path("errand")
    let script = try await Command.run(errand, "completion", "bash")
    #expect(script.status == 0)
    let ask = """
      \(script.text)
      COMP_WORDS=(errand submit --d) COMP_CWORD=2; _errand errand --d submit; echo "${COMPREPLY[@]}"
      COMP_WORDS=(errand pa) COMP_CWORD=1; _errand errand pa errand; echo "${COMPREPLY[@]}"
      """
    let answer = try await Command.run("bash", "-c", ask)
    #expect(
      answer.text.contains("--delegate") && answer.text.contains("--deadline") && answer.text.contains("--durability"), "\(answer.text)")
    #expect(answer.text.contains("patch pause"), "\(answer.text)")
  }

  @Test(arguments: ["zsh", "fish"]) func `the other shells have a script, too`(shell: String) async throws {
    let script = try await Command.run(try Programs.path("errand"), "completion", shell)
    #expect(script.status == 0 && script.text.contains("webhook") && script.text.contains("idempotency-key"))
  }

  @Test func `another shell is refused`() async throws {
    #expect(try await Command.run(try Programs.path("errand"), "completion", "csh").status == 2)
  }
}
