import Foundation

/// A schema of JSON in the sources, and a validator for it.
///
/// Supports only the keywords of JSON Schema 2020-12 that the files use, and rejects a file with
/// others.
package struct JSONSchema {
  /// The schemas, which may refer to each other, by their paths in the sources.
  package enum File: String, CaseIterable {
    /// The documents that the program prints.
    case documents = "Rollcall/Documents/documents.schema.json"
    /// What the inspector's server answers.
    case answers = "InspectorCore/Answers/answers.schema.json"
  }

  private let roots: [String: [String: Any]]
  private let file: File

  /// A schema in the sources.
  package init(of file: File = .documents) throws {
    var url = URL(filePath: #filePath)
    for _ in 1...3 { url.deleteLastPathComponent() }
    url.append(path: "Sources")
    self.file = file
    roots = try Dictionary(
      uniqueKeysWithValues: File.allCases.map { file in
        let data = try Data(contentsOf: url.appending(path: file.rawValue))
        return (
          file.rawValue, try Self.object(JSONSerialization.jsonObject(with: data), "the file")
        )
      })
  }

  private struct Broken: Error, CustomStringConvertible {
    let description: String
  }

  private static func object(_ value: Any?, _ location: String) throws -> [String: Any] {
    guard let object = value as? [String: Any] else {
      throw Broken(description: "\(location) is no object")
    }
    return object
  }

  /// The names of the documents, or of the answers.
  package var documents: [String] {
    get throws {
      let documents = try resolve("#/$defs/\(file)", in: file.rawValue).schema
      return try Self.object(documents["$defs"], "\(file)").keys.sorted()
    }
  }

  /// The first violation of a definition in a JSON text; nil if the text is valid.
  ///
  /// - Parameter name: The name of a document or of another definition.
  package func fault(in json: String, _ name: String) throws -> String? {
    try fault(inValue: JSONSerialization.jsonObject(with: Data(json.utf8)), name)
  }

  /// The first violation of a definition in a parsed JSON value; nil if the value is valid.
  package func fault(inValue value: Any, _ name: String) throws -> String? {
    let isDocument = try documents.contains(name)
    let path = isDocument ? "#/$defs/\(file)/$defs/\(name)" : "#/$defs/\(name)"
    return try fault(value, resolve(path, in: file.rawValue), at: name)
  }

  /// A definition and the file that it is in.
  private typealias Definition = (schema: [String: Any], file: String)

  /// What a reference in a file refers to.
  private func resolve(_ reference: String, in file: String) throws -> Definition {
    let halves = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    var target = file
    if let path = halves.first, !path.isEmpty {
      let base = URL(filePath: "/\(file)")
      let url = URL(filePath: String(path), relativeTo: base).standardizedFileURL
      target = String(url.path(percentEncoded: false).dropFirst())
    }
    let root = try Self.object(roots[target], reference)
    let keys = halves.last?.split(separator: "/") ?? []
    return (try keys.reduce(root) { try Self.object($0[String($1)], reference) }, target)
  }

  // MARK: Keywords

  private static let words: Set<String> = [
    "description", "$ref", "type", "enum", "properties", "required", "additionalProperties",
    "items", "anyOf", "pattern", "minimum", "maximum", "minItems", "maxItems",
  ]

  private func fault(
    _ value: Any, _ definition: Definition, at location: String
  ) throws -> String? {
    let (schema, file) = definition
    if let word = schema.keys.first(where: { !Self.words.contains($0) }) {
      throw Broken(description: "\(location) uses “\(word)”, which is not supported")
    }
    if let path = schema["$ref"] as? String {
      if let fault = try fault(value, resolve(path, in: file), at: location) { return fault }
    }
    if let choices = schema["anyOf"] as? [[String: Any]] {
      let faults = try choices.map { try fault(value, ($0, file), at: location) }
      if !faults.contains(where: { $0 == nil }) {
        return "\(location) is none of \(choices.count): "
          + faults.compactMap(\.self).joined(separator: "; ")
      }
    }
    if let type = schema["type"], !Self.types(type).contains(where: { Self.is(value, $0) }) {
      return "\(location) is not \(Self.types(type))"
    }
    if let values = schema["enum"] as? [Any], !values.contains(where: { Self.isEqual($0, value) }) {
      return "\(location) is none of \(values)"
    }
    return try limits(value, schema, at: location) ?? members(value, definition, at: location)
      ?? elements(value, definition, at: location)
  }

  private func limits(
    _ value: Any, _ schema: [String: Any], at location: String
  ) throws -> String? {
    if let text = value as? String, let pattern = schema["pattern"] as? String,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      return "\(location) is “\(text)”"
    }
    if Self.is(value, "integer"), let number = value as? NSNumber {
      if let minimum = schema["minimum"] as? NSNumber, number.int64Value < minimum.int64Value {
        return "\(location) is less than \(minimum)"
      }
      if let maximum = schema["maximum"] as? NSNumber, number.int64Value > maximum.int64Value {
        return "\(location) is more than \(maximum)"
      }
    }
    guard let list = value as? [Any] else { return nil }
    let minimum = schema["minItems"] as? Int ?? 0
    let maximum = schema["maxItems"] as? Int ?? .max
    return (minimum...maximum).contains(list.count) ? nil : "\(location) has \(list.count) elements"
  }

  private func members(
    _ value: Any, _ definition: Definition, at location: String
  ) throws -> String? {
    let (schema, file) = definition
    guard let object = value as? [String: Any] else { return nil }
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    for key in schema["required"] as? [String] ?? [] where object[key] == nil {
      return "\(location) has no “\(key)”"
    }
    for (key, member) in object.sorted(by: { $0.key < $1.key }) {
      if let known = properties[key] {
        if let fault = try fault(member, (known, file), at: "\(location).\(key)") { return fault }
      } else if let other = schema["additionalProperties"] as? [String: Any] {
        if let fault = try fault(member, (other, file), at: "\(location).\(key)") { return fault }
      } else if schema["additionalProperties"] as? Bool == false {
        return "\(location) has “\(key)”"
      }
    }
    return nil
  }

  private func elements(
    _ value: Any, _ definition: Definition, at location: String
  ) throws -> String? {
    guard let list = value as? [Any], let items = definition.schema["items"] as? [String: Any]
    else { return nil }
    for (index, element) in list.enumerated() {
      if let fault = try fault(element, (items, definition.file), at: "\(location)[\(index)]") {
        return fault
      }
    }
    return nil
  }

  // MARK: Values

  private static func types(_ type: Any) -> [String] {
    type as? [String] ?? (type as? String).map { [$0] } ?? []
  }

  private static func isBool(_ value: Any) -> Bool {
    guard let number = value as? NSNumber else { return false }
    return number === (true as NSNumber) || number === (false as NSNumber)
      || String(cString: number.objCType) == "c"
  }

  private static func `is`(_ value: Any, _ type: String) -> Bool {
    switch type {
    case "null": value is NSNull
    case "boolean": isBool(value)
    case "integer": value is NSNumber && !isBool(value) && !(value is String)
    case "string": value is String
    case "array": value is [Any]
    case "object": value is [String: Any]
    default: false
    }
  }

  private static func isEqual(_ wanted: Any, _ value: Any) -> Bool {
    if wanted is NSNull { return value is NSNull }
    return (wanted as? String) == (value as? String) && value is String
  }
}
