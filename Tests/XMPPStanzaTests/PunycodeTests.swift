import TestSupport
import Testing
import XMPPStanza

@Suite("Internationalized labels by RFC 3492") struct PunycodeTests {
  /// The samples of §7.1, except the one in ASCII, whose label needs no encoding. The Russian
  /// sample of the RFC marks an upper-case letter in its encoding; domains do not, so it is in
  /// lower case here.
  static let samples = [
    ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"),
    ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
    ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"),
    ("Pročprostěnemluvíčesky", "Proprostnemluvesky-uyb24dma41a"),
    ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
    ("यहलोगहिन्दीक्योंनहींबोलसकतेहैं", "i1baa7eci9glrd9b2ae1bj0hfcgg6iyaf8o0a1dig0cd"),
    ("なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
    (
      "세계의모든사람들이한국어를이해한다면얼마나좋을까",
      "989aomsvi5e83db1d2a355cv1e0vak1dwrv93d5xbh15a0dt30a5jpsd879ccm6fea98c"
    ),
    ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
    ("PorquénopuedensimplementehablarenEspañol", "PorqunopuedensimplementehablarenEspaol-fmd56a"),
    ("TạisaohọkhôngthểchỉnóitiếngViệt", "TisaohkhngthchnitingVit-kjcr8268qyxafd2f1b9g"),
    ("3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"),
    ("安室奈美恵-with-SUPER-MONKEYS", "-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n"),
    ("Hello-Another-Way-それぞれの場所", "Hello-Another-Way--fc4qua05auwb3674vfr0b"),
    ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"),
    ("MajiでKoiする5秒前", "MajiKoi5-783gue6qz075azm5e"),
    ("パフィーdeルンバ", "de-jg4avhby1noc0d"),
    ("そのスピードで", "d9juau41awczczp"),
  ]

  @Test("The sample strings of the RFC are encoded and decoded", arguments: samples)
  func sample(text: String, encoded: String) {
    #expect(Punycode.asciiLabel(text[...]) == "xn--" + encoded)
    #expect(
      Punycode.unicodeLabel("xn--\(encoded)")?.unicodeScalars.elementsEqual(text.unicodeScalars)
        == true)
  }

  @Test("An ASCII label is unchanged", arguments: ["", "a", "xn--fiqs8s", "-> $1.00 <-"])
  func plain(label: String) {
    #expect(Punycode.asciiLabel(label[...]) == label)
  }

  @Test("Decoding the ASCII form of any other label gives the label")
  func comesBack() {
    for seed in 0..<2000 {
      var generator = SeededGenerator(seed: UInt64(seed))
      var scalars = String.UnicodeScalarView("\u{80}".unicodeScalars)
      for _ in 0..<Int.random(in: 0...20, using: &generator) {
        let bound: UInt32 =
          [0x7F, 0x3FF, 0xFFFF, 0x10FFFF].randomElement(using: &generator) ?? 0x7F
        let value = UInt32.random(in: 1...bound, using: &generator)
        if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
      }
      let label = String(scalars)
      let ascii = Punycode.asciiLabel(label[...])
      #expect(ascii.utf8.allSatisfy { $0 < 0x80 }, "seed \(seed)")
      #expect(
        Punycode.unicodeLabel(ascii[...])?.unicodeScalars.elementsEqual(label.unicodeScalars)
          == true,
        "seed \(seed)")
    }
  }

  @Test("A long label of any script can be encoded")
  func long() {
    let label = String(repeating: "\u{10FFFF}", count: 255)
    #expect(Punycode.asciiLabel(label[...]).hasPrefix("xn--"))
  }
}
