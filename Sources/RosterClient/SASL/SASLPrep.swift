import Foundation

/// SASLprep (RFC 4013), a profile of stringprep (RFC 3454): prepares user names and passwords for
/// SCRAM, which hashes and compares them.
///
/// Addresses are prepared by other rules (`JIDPreparation`), which fold case and width and use
/// current Unicode. SASLprep keeps case and is fixed at Unicode 3.2.
///
/// Code points that Unicode 3.2 does not assign are allowed, as RFC 3454 §7 specifies for queries,
/// which are compared with a text stored elsewhere. RFC 5802 §2.2 would have them refused in
/// passwords, as in stored strings. But the server stores the password and has already accepted it,
/// and no user should be locked out because of an emoji.
package enum SASLPrep {
  package static func prepare(
    _ text: String, as credential: SASLFailure.Credential
  ) throws(SASLFailure) -> String {
    guard !text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      if text.isEmpty { throw .unpreparable(credential, why: .empty) }
      return text
    }
    let prepared = normalized(mapped(text))
    guard !prepared.isEmpty else { throw .unpreparable(credential, why: .empty) }
    guard !prepared.unicodeScalars.contains(where: StringprepTables.prohibited.contains) else {
      throw .unpreparable(credential, why: .forbiddenCharacter)
    }
    guard keepsDirection(prepared) else {
      throw .unpreparable(credential, why: .mixedDirections)
    }
    return prepared
  }

  /// RFC 4013 §2.1: every space becomes U+0020 (C.1.2), invisible characters are removed (B.1).
  private static func mapped(_ text: String) -> String {
    var mapped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      // The zero width space is in both tables; libidn and servers treat it as a space.
      case 0xA0, 0x1680, 0x2000...0x200B, 0x202F, 0x205F, 0x3000: mapped.append(" ")
      case 0xAD, 0x34F, 0x1806, 0x180B...0x180D, 0x200C, 0x200D, 0x2060, 0xFE00...0xFE0F, 0xFEFF:
        break
      default: mapped.append(scalar)
      }
    }
    return String(mapped)
  }

  /// Form KC of Unicode 3.2. Characters assigned later stay as they are and do not combine. Only
  /// five rare ideographs differ: they come out as corrected by later versions.
  private static func normalized(_ text: String) -> String {
    var normalized = ""
    var run = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.isOfUnicode32 {
        run.append(scalar)
      } else {
        normalized += formKC(run)
        normalized.unicodeScalars.append(scalar)
        run = String.UnicodeScalarView()
      }
    }
    return normalized + formKC(run)
  }

  /// In two steps, because Foundation's form KC does not compose half-width jamo.
  private static func formKC(_ run: String.UnicodeScalarView) -> String {
    String(run).decomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping
  }

  /// RFC 3454 §6: a text with right-to-left characters begins and ends with one, and has no
  /// left-to-right characters.
  private static func keepsDirection(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    guard scalars.contains(where: StringprepTables.rightToLeft.contains) else { return true }
    guard let first = scalars.first, let last = scalars.last else { return true }
    return StringprepTables.rightToLeft.contains(first)
      && StringprepTables.rightToLeft.contains(last)
      && !scalars.contains(where: StringprepTables.leftToRight.contains)
  }
}

extension Unicode.Scalar {
  fileprivate var isOfUnicode32: Bool {
    guard let age = properties.age else { return false }
    return age.major < 3 || (age.major == 3 && age.minor <= 2)
  }
}
