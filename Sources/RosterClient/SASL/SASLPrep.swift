import Foundation

/// SASLprep (RFC 4013), a profile of stringprep (RFC 3454): brings a user name or a password into
/// the form that SCRAM hashes and compares.
///
/// Addresses are prepared by other rules (`JIDPreparation`): those fold case and width and use the
/// Unicode of today, this one keeps case and stands still at Unicode 3.2.
///
/// Code points that Unicode 3.2 does not assign are let through, as RFC 3454 §7 has it for what is
/// compared with a text that somebody else has stored. RFC 5802 §2.2 asks to refuse them in
/// passwords as if these were stored here; but the server holds the password and has already taken
/// it, and nobody should be locked out for an emoji.
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

  /// RFC 4013 §2.1: all spaces become one (C.1.2), what is not seen becomes nothing (B.1).
  private static func mapped(_ text: String) -> String {
    var mapped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      // The zero width space is in both tables; libidn takes it for a space, and so do servers.
      case 0xA0, 0x1680, 0x2000...0x200B, 0x202F, 0x205F, 0x3000: mapped.append(" ")
      case 0xAD, 0x34F, 0x1806, 0x180B...0x180D, 0x200C, 0x200D, 0x2060, 0xFE00...0xFE0F, 0xFEFF:
        break
      default: mapped.append(scalar)
      }
    }
    return String(mapped)
  }

  /// Form KC of Unicode 3.2: what was assigned later stays as it is and joins nothing. Five rare
  /// ideographs alone come out as later versions have them, which corrected them.
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

  /// In two steps: Foundation's form KC leaves half-width jamo beside each other.
  private static func formKC(_ run: String.UnicodeScalarView) -> String {
    String(run).decomposedStringWithCompatibilityMapping.precomposedStringWithCanonicalMapping
  }

  /// RFC 3454 §6: a text with characters from right to left begins and ends with one, and has
  /// none from left to right.
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
