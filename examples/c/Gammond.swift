// gammond for Swift, over gammond.h and module.modulemap.
//   swiftc -I FOLDER_OF_THE_HEADER -L FOLDER_OF_THE_LIBRARY Gammond.swift
import CGammond

struct GammondError: Error {
  let code: GammondCode
  let reason: String
}

func check(_ code: GammondCode) throws {
  if code != 0 { throw GammondError(code: code, reason: String(cString: gammond_error_text())) }
}

/// An engine with its nets inside. It may be used from many threads; calls block, so not from that of the screen.
final class Engine {
  private var handle: UInt64 = 0

  init() throws { try check(gammond_open(nil, &handle)) }

  deinit { gammond_close(handle) }

  /// Answers lines of the request protocol by a line each.
  func ask(_ lines: String) throws -> String {
    var answer: UnsafeMutablePointer<CChar>?
    try check(gammond_ask(handle, lines, lines.utf8.count, 0, &answer, nil))
    defer { gammond_free(answer) }
    return answer.map { String(cString: $0) } ?? ""
  }

  /// The best play of the dice of a question.
  func best(_ question: inout GammondQuestion) throws -> GammondPlay {
    var play = GammondPlay()
    var count = 0
    try check(gammond_best_plays(handle, &question, &play, MemoryLayout<GammondPlay>.size, 1, &count))
    return play
  }
}

func question(_ text: String) throws -> GammondQuestion {
  var question = GammondQuestion()
  question.size = UInt32(MemoryLayout<GammondQuestion>.size)
  try check(gammond_read_question(text, &question))
  return question
}

let engine = try Engine()
var position = try question("4HPwATDgc/ABMA")
for turn in 1... {
  position.dice = (UInt8.random(in: 1...6), UInt8.random(in: 1...6))
  let play = try engine.best(&position)
  if play.wins > 0 {
    print("a game of \(turn) turns")
    break
  }
  position.points = play.after
}
