extension String {
  /// The text as one word of a shell's command line, for commands that are to be copied.
  package var shellWord: String {
    let isPlain = allSatisfy { character in
      character.isLetter || character.isNumber || "@%+=:,./_-".contains(character)
    }
    return isPlain && !isEmpty ? self : "'" + replacing("'", with: #"'\''"#) + "'"
  }
}
