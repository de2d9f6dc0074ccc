import Foundation
import TestSupport
import Testing

private func capture(_ name: String) -> String {
  CaptureCase.fixtures.appending(path: "captures/\(name)/capture.log").path(percentEncoded: false)
}

@Suite("The command why") struct WhyCommandTests {
  @Test("It answers every question, as text and as a document")
  func answers() throws {
    let path = capture("slixmpp-request-stays")
    let run = try Program("why", path, "tuixiao25@example.test")
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("Is a request open? Yes."))
    #expect(run.output.contains("Our “unsubscribe” at #17, #36 and #55 does not answer it"))
    let json = try Program("why", path, "tuixiao25@example.test", "--json")
    let document = try json.document
    #expect(document["state"] as? String == "None + Pending In")
    let answers = try #require(document["answers"] as? [String: [String: Any]])
    #expect(Set(answers.keys) == ["friend", "request", "online", "blocked", "section"])
    #expect(answers["request"]?["answer"] as? String == "yes")
    #expect(answers["friend"]?["answer"] as? String == "no")
    #expect(answers["blocked"]?["answer"] as? String == "unknown")
    let because = try #require(answers["request"]?["because"] as? [String])
    #expect(because.allSatisfy { run.output.contains("  \($0)\n") })
  }

  @Test("--about limits it to some questions")
  func about() throws {
    let path = capture("slixmpp-request-stays")
    let run = try Program(
      "why", path, "tuixiao25@example.test", "--about", "request", "--about", "section")
    #expect(run.output.contains("Is a request open?"))
    #expect(run.output.contains("Where is it on"))
    #expect(!run.output.contains("Is it a friend?"))
  }

  @Test("The account's own item is explained")
  func ownItem() throws {
    let folder = try TemporaryFolder()
    try """
    {"rollcall-capture":1,"account":"alice@example.test/phone"}
    {"stream":"opened","jid":"alice@example.test/phone"}
    {"dir":"in","xml":"<iq id='2' type='set'><query xmlns='jabber:iq:roster'>\
    <item jid='alice@example.test' subscription='both'/></query></iq>"}

    """.write(toFile: folder.file("own.jsonl"), atomically: true, encoding: .utf8)
    let run = try Program("why", "own.jsonl", "alice@example.test", in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("Its item is “both” since #3"))
  }

  @Test("An unknown address and the account give exit code 1; an invalid address is bad usage")
  func codes() throws {
    let path = capture("slixmpp-request-stays")
    #expect(try Program("why", path, "nobody@example.test").code == 1)
    #expect(try Program("why", path, "tuixiao25@example.test", "--at", "10").code == 1)
    #expect(try Program("why", path, "xiaofang25@example.test").code == 1)
    #expect(try Program("why", path, "@").code == 2)
    #expect(try Program("why", path).code == 2)
  }
}

@Suite("The command what-if") struct WhatIfCommandTests {
  private let path = capture("slixmpp-forged-push")

  @Test("The exit code says whether a branch ends differently")
  func codes() throws {
    let lenient = try Program("what-if", path, "--policy", "lenient")
    #expect(lenient.code == 1)
    #expect(lenient.errors.isEmpty)
    #expect(lenient.output.contains("the branch departs from what happened at #16"))
    #expect(lenient.output.contains("+ contact kefu25@elsewhere.test “银行客服” both in 家人"))
    let message = try Program("what-if", path, "--drop", "18")
    #expect(message.code == 0)
    #expect(message.output.contains("every record of the branch has the effect that it had"))
    // Presence makes the two diverge, and the end of the session makes them equal again.
    let presence = try Program("what-if", path, "--drop", "15")
    #expect(presence.code == 0)
    #expect(presence.output.contains("the branch departs from what happened at #15"))
    #expect(presence.output.contains("both end in the same state"))
  }

  @Test("An impossible edit is bad input, and the error names it")
  func refusals() throws {
    let folder = try TemporaryFolder()
    try "hello".write(toFile: folder.file("no-capture"), atomically: true, encoding: .utf8)
    for (arguments, words) in [
      ([], "no change was given"), (["--drop", "21"], "no record 21"),
      (["--drop", "x"], "--drop"), (["--drop", "5-3"], "--drop"),
      (["--drop", "3,3"], "two edits are about record 3"), (["--swap", "3"], "pairs"),
      (["--drop", "3", "--swap", "3", "4"], "two edits are about record 3"),
      (["--insert", "missing@3"], "missing"), (["--insert", "no-capture@3"], "no-capture"),
      (["--insert", "no-capture"], "--insert"), (["--policy", "kind"], "--policy"),
    ] {
      let run = try Program(["what-if", path] + arguments, in: folder.path)
      #expect(run.code == 2, "\(arguments)")
      #expect(run.errors.contains(words), "\(arguments): \(run.errors)")
      #expect(run.output.isEmpty, "\(arguments)")
    }
  }

  @Test("An inserted record has a separate name, for people and for machines")
  func inserting() throws {
    let folder = try TemporaryFolder()
    try """
    {"rollcall-capture":1}
    {"dir":"in","xml":"<presence type='subscribe' from='new@example.test'/>"}
    {"dir":"out","xml":"<presence type='unsubscribed' to='new@example.test'/>"}

    """.write(toFile: folder.file("more.jsonl"), atomically: true, encoding: .utf8)
    let arguments = ["what-if", path, "--insert", "more.jsonl@14"]
    let run = try Program(arguments, in: folder.path)
    #expect(run.output.contains("#14+1 "))
    #expect(run.output.contains("- request of new@example.test of record 14+1: we denied it"))
    let document = try Program(arguments + ["--json"], in: folder.path).document
    let parting = try #require(document["parting"] as? [String: Any])
    #expect(parting["record"] as? Int == 14)
    let instead = try #require(parting["instead"] as? [[String: Any]])
    #expect(instead.suffix(2).map { $0["inserted"] as? Int } == [1, 2])
    #expect(instead.suffix(2).allSatisfy { $0["record"] as? Int == 14 })
  }

  @Test("The values of a branch's differences have the records' own numbers")
  func numbersOfValues() throws {
    let folder = try TemporaryFolder()
    try """
    {"rollcall-capture":1,"account":"alice@example.test/phone"}
    {"stream":"opened","jid":"alice@example.test/phone"}
    {"dir":"in","xml":"<presence type='subscribe' from='bob@example.test'/>"}
    {"dir":"out","xml":"<presence/>"}

    """.write(toFile: folder.file("own.jsonl"), atomically: true, encoding: .utf8)
    try """
    {"rollcall-capture":1,"account":"alice@example.test/phone"}
    {"dir":"in","xml":"<iq id='2' type='set'><query xmlns='jabber:iq:roster'>\
    <item jid='bob@example.test' subscription='remove'/></query></iq>"}

    """.write(toFile: folder.file("push.jsonl"), atomically: true, encoding: .utf8)
    let run = try Program(
      "what-if", "own.jsonl", "--insert", "push.jsonl@3", "--json", in: folder.path)
    let differences = try #require(try run.document["differences"] as? [[String: Any]])
    let request = try #require(differences.first { $0["field"] as? String == "request" })
    for value in ["before", "after"] {
      let request = try #require(request[value] as? [String: Any], "\(value)")
      #expect(request["since"] as? Int == 3, "\(value)")
    }
  }

  @Test("A branch is written only on request and only to a new log")
  func writing() throws {
    let folder = try TemporaryFolder()
    let run = try Program("what-if", path, "--drop", "12", "-o", "new.rollcall", in: folder.path)
    #expect(run.code == 1, "\(run.errors)")
    #expect(try folder.names.filter { !$0.hasSuffix("-lock") } == ["new.rollcall"])
    let state = try Program("state", "new.rollcall", "--json", in: folder.path).document
    #expect(state["at"] as? Int == 19)
    #expect(state["complete"] as? Bool == false)
    let again = try Program("what-if", path, "--drop", "12", "-o", "new.rollcall", in: folder.path)
    #expect(again.code == 2)
    #expect(again.errors.contains("exists already"))
    _ = try Program("what-if", path, "--drop", "12", in: folder.path)
    #expect(try folder.names.filter { !$0.hasSuffix("-lock") } == ["new.rollcall"])
  }
}

@Suite("The command test-from") struct TestFromCommandTests {
  @Test("It writes the files, with the same state as state --json")
  func files() throws {
    let folder = try TemporaryFolder()
    let path = capture("slixmpp-rename-undone")
    let run = try Program("test-from", path, "-o", "Tests/rename-undone", in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    let target = "\(folder.path)/Tests/rename-undone"
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: target).sorted() == [
        "RenameUndone.findings.json", "RenameUndone.jsonl", "RenameUndone.state.json",
        "RenameUndoneTests.swift",
      ])
    for (command, suffix) in [("state", "state"), ("findings", "findings")] {
      let printed = try Program(command, "\(target)/RenameUndone.jsonl", "--json")
      let file = try String(
        contentsOfFile: "\(target)/RenameUndone.\(suffix).json", encoding: .utf8)
      #expect(printed.output == file)
    }
    #expect(try Program("findings", "\(target)/RenameUndone.jsonl").output.contains("undone-edit"))
    let again = try Program("test-from", path, "-o", "Tests/rename-undone", in: folder.path)
    #expect(again.code == 2)
    #expect(again.errors.contains("exists already"))
  }

  @Test("Identities are left out, unless requested")
  func redaction() throws {
    let folder = try TemporaryFolder()
    let path = capture("slixmpp-rename-undone")
    _ = try Program("test-from", path, "-o", "Hidden", in: folder.path)
    _ = try Program("test-from", path, "--no-redact", "-o", "Open", in: folder.path)
    for (name, isShown) in [("Hidden", false), ("Open", true)] {
      let capture = try String(
        contentsOfFile: "\(folder.path)/\(name)/\(name).jsonl", encoding: .utf8)
      #expect(capture.contains("陈建国") == isShown)
      #expect(capture.contains("laochen25") == isShown)
      #expect(!capture.contains("qing-chun-7"))
    }
  }
}
