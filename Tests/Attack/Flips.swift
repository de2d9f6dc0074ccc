import EventStore
import Foundation
import Rollcall
import TestSupport

/// Damages logs and compares the answers of the commands.
///
/// Expected: each answer is right or refused; if `verify` finds nothing, all other commands answer;
/// and only processes in which LMDB has read end by a signal.
struct Flips {
  let workload: Workload
  let report: Report

  private struct Subject: Sendable {
    var name: String
    var bytes: [UInt8]
    var right: [Question: Int]
  }

  struct Case: Sendable {
    var subject: Int
    var damage: Damage
  }

  /// The result of one question; without an answer the log was refused.
  struct Reply: Codable {
    var question: Question
    var answer: Int?
  }

  private static let batch = 50

  /// Changes bits, and every field of both meta pages.
  ///
  /// - Parameter count: The number of random bits; nil for one in every byte.
  func run(seed: UInt64, count: Int?) throws {
    let subjects = try subjects()
    var generator = SeededGenerator(seed: seed)
    let cases = subjects.enumerated().flatMap { number, subject in
      let size = subject.bytes.count
      let metas = metaPages(subject.bytes, isWhole: count == nil)
      // A limited run changes each field in only one of the logs, which depends on the seed.
      let chosen = (number + Int(seed % UInt64(subjects.count))) % subjects.count
      let selected =
        count == nil
        ? metas
        : metas.enumerated().filter {
          $0.offset % subjects.count == chosen
        }.map(\.element)
      return
        (selected + bits(size, count.map { $0 / subjects.count }, &generator)
        + pages(size, isWhole: count == nil, &generator))
        .map { Case(subject: number, damage: $0) }
    }
    report.count("damaged logs", cases.count)
    report.forEach(stride(from: 0, to: cases.count, by: Self.batch).map { $0 }) { start in
      try ask(Array(cases[start..<min(start + Self.batch, cases.count)]), subjects)
    }
  }

  private func bits(
    _ size: Int, _ count: Int?, _ generator: inout SeededGenerator
  ) -> [Damage] {
    let offsets =
      count.map { count in
        (0..<count).map { _ in
          let page = Int.random(in: 0..<size / Damage.page, using: &generator)
          // Half of them in the header of the page, which LMDB uses.
          let range = Bool.random(using: &generator) ? 152 : Damage.page
          return page * Damage.page + Int.random(in: 0..<range, using: &generator)
        }
      } ?? Array(0..<size)
    return offsets.map { .bit(offset: $0, 1 << UInt8.random(in: 0..<8, using: &generator)) }
  }

  /// The fields of a meta page: the offset and the size of each.
  private static let fields: [(offset: Int, size: Int)] = {
    let own = [(0, 8), (8, 2), (10, 2), (12, 4), (16, 4), (20, 4), (24, 8), (32, 8)]
    return own + tree(40) + tree(88) + [(136, 8), (144, 8)]
  }()

  private static func tree(_ start: Int) -> [(Int, Int)] {
    [(start, 4), (start + 4, 2), (start + 6, 2)] + (1...5).map { (start + 8 * $0, 8) }
  }

  /// Changes every field of both meta pages to zeros, to ones, to adjacent values, and to the value
  /// of the other page.
  ///
  /// - Parameter isWhole: Whether to change each bit as well.
  private func metaPages(_ bytes: [UInt8], isWhole: Bool) -> [Damage] {
    [0, Damage.page].flatMap { page -> [Damage] in
      let other = Damage.page - page
      let fields = Self.fields.flatMap { offset, size -> [Damage] in
        let own = Array(bytes[page + offset..<page + offset + size])
        let value = own.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let numbers: [UInt64] = [
          0, .max, value &+ 1, value &- 1, value &+ 2, value &- 2, value >> 1,
        ]
        var values: Set<[UInt8]> = [Array(bytes[other + offset..<other + offset + size])]
        for number in numbers {
          values.insert((0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
        }
        return values.subtracting([own]).sorted { $0.lexicographicallyPrecedes($1) }
          .map { .bytes(offset: page + offset, $0) }
      }
      guard isWhole else { return fields }
      return fields
        + (0..<152).flatMap { byte in
          (0..<8).map { .bit(offset: page + byte, 1 << UInt8($0)) }
        }
    }
  }

  /// - Parameter isWhole: Whether to damage every page in every way, or only a part.
  private func pages(
    _ size: Int, isWhole: Bool, _ generator: inout SeededGenerator
  ) -> [Damage] {
    let pages = size / Damage.page
    let damages = (0..<pages).flatMap { page -> [Damage] in
      let other = Int.random(in: 0..<pages, using: &generator)
      let offset = Int.random(in: 1..<Damage.page, using: &generator)
      return [
        .zero(page), .swap(page, other), .copy(page, to: other), .cut(page * Damage.page),
        .cut(page * Damage.page + offset),
      ]
    }
    return isWhole ? damages : Array(damages.shuffled(using: &generator).prefix(pages))
  }

  /// A short log, a captured session, and a session of two devices.
  private func subjects() throws -> [Subject] {
    let captures = CaptureCase.fixtures.appending(path: "captures").path(percentEncoded: false)
    return try [
      ["\(workload.base.path)/part.jsonl"], ["\(captures)/raw-presence-first/capture.log"],
      [
        "\(captures)/slixmpp-two-devices/capture.log", "\(captures)/slixmpp-two-devices/laptop.log",
      ],
    ].map { files in
      let scratch = try Scratch()
      let run = try Run(
        workload.program, ["import"] + files + ["-o", "a.rollcall"], in: scratch.path)
      guard run.ending == .exited(0) else { throw Trouble(run.errors) }
      let path = scratch.file("a.rollcall")
      do {
        // An older meta page would not show what the last transaction wrote. This transaction makes
        // the file longer; otherwise a meta page whose number changed by two would look like the
        // older one that LMDB leaves after a failed commit.
        let log = try EventLog.open(
          at: path, access: .readWrite, eventVersion: RecordReader.version)
        try log.append([Bookmark(name: String(repeating: "last", count: 5000), back: 1).draft])
      }
      var right: [Question: Int] = [:]
      for question in Question.allCases { right[question] = try question.answer(path) }
      return Subject(
        name: files[0], bytes: Array(try Data(contentsOf: URL(filePath: path))), right: right)
    }
  }

  // MARK: Asking

  private func ask(_ cases: [Case], _ subjects: [Subject]) throws {
    let scratch = try Scratch()
    let paths = try cases.enumerated().map { number, attacked in
      let path = scratch.file("\(number).rollcall")
      let bytes = attacked.damage.apply(to: subjects[attacked.subject].bytes)
      try Data(bytes).write(to: URL(filePath: path))
      return path
    }
    var done = 0
    while done < cases.count {
      let run = try Run(workload.itself, ["judge", "answers"] + paths[done...])
      let lines = run.output.split(separator: "\n").map { Data($0.utf8) }
      let replies = try lines.map { try JSONDecoder().decode(Reply.self, from: $0) }
      let perCase = Question.allCases.count
      for start in stride(from: 0, to: replies.count, by: perCase) {
        let own = Array(replies[start..<min(start + perCase, replies.count)])
        judge(own, cases[done], subjects[cases[done].subject], run.ending)
        done += 1
      }
      if replies.count.isMultiple(of: perCase), run.ending != .exited(0), done < cases.count {
        judge([], cases[done], subjects[cases[done].subject], run.ending)
        done += 1
      }
    }
  }

  private func judge(
    _ replies: [Reply], _ attacked: Case, _ subject: Subject, _ ending: Run.Ending
  ) {
    func complain(_ what: String) {
      report.complain("\(subject.name), \(attacked.damage): \(what)")
    }
    var verified = false
    for reply in replies {
      guard let answer = reply.answer else {
        report.count("refusals")
        if verified { complain("verify finds nothing, and \(reply.question) is refused") }
        continue
      }
      report.count("right answers")
      if answer != subject.right[reply.question] {
        complain("a wrong answer of \(reply.question)")
      }
      if reply.question == .verify { verified = true }
    }
    guard replies.count < Question.allCases.count else { return }
    // `rollcall` reads in a child process, and turns this into a refusal.
    let question = Question.allCases[replies.count]
    report.count("signals in a child")
    guard case .signalled = ending, question != .recover, question != .verify, !verified else {
      return complain("\(question) ends by \(ending)")
    }
  }
}
