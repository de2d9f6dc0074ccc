import ContactSections
import Testing

@Suite("Readings, order and search")
struct ReadingTests {
  @Test(
    "A name is read in context",
    arguments: [
      ("张三", "zhāng sān"), ("曾经", "céng jīng"), ("曾国藩", "zēng guó fān"),
      ("银行", "yín háng"), ("音乐", "yīn yuè"), ("校长", "xiào zhǎng"), ("成长", "chéng zhǎng"),
      ("我的首都", "wǒ de shǒu dū"), ("老单", "lǎo shàn"), ("小单老师", "xiǎo shàn lǎo shī"),
      ("尉迟恭", "yù chí gōng"), ("吕布", "lǚ bù"), ("單車", "dān chē"), ("刘女士", "liú nǚ shì"),
      ("任家庄", "rén jiā zhuāng"), ("任务", "rèn wù"), ("华氏温度", "huá shì wēn dù"),
      ("宁-会计", "nìng - kuài jì"), ("区（店长）", "ōu （ diàn zhǎng ）"), ("那家", "nà jiā"),
      ("应该", "yīng gāi"), ("应采儿", "yīng cǎi ér"), ("反应", "fǎn yìng"), ("韦应物", "wéi yìng wù"),
      ("歌曲", "gē qǔ"), ("弯曲", "wān qū"), ("大将", "dà jiàng"), ("将来", "jiāng lái"),
      ("阻塞", "zǔ sè"), ("受不了", "shòu bù liǎo"), ("作为", "zuò wéi"), ("因为", "yīn wèi"),
      ("Alice王", "alice wáng"), ("王 Li-Na", "wáng li - na"), ("阿玉2", "ā yù 2"),
    ])
  func inContext(name: String, pinyin: String) {
    #expect(PinyinReader.reading(of: name).pinyin == pinyin)
  }

  /// Each list is in the expected order.
  @Test(
    "Names are sorted",
    arguments: [
      // Syllable, then tone, then scalar, character by character.
      ["妈", "麻", "马", "骂", "埋"],
      ["张", "张三", "张四", "章二", "掌一"],
      // Latin words are sorted among Han characters by their letters, a prefix first.
      ["an", "安", "Anna", "bai", "白", "Bo"],
      ["Ann Zoe", "Anna", "ÀNNB"],
      ["lu", "路", "lv", "绿", "ma"],
      ["王2", "王10", "王一"],
      // In #: numbers by value, symbols, other scripts, empty names.
      ["2", "007", "10", "10a", "!", "😀", "Анна", "あい", ""],
      ["Zoe", "1"],
    ])
  func order(names: [String]) {
    let keys = names.map { SortKey(PinyinReader.reading(of: $0)) }
    for (index, key) in keys.enumerated() {
      for later in keys[(index + 1)...] { #expect(key < later, "\(names) at \(index)") }
    }
  }

  @Test("Names that look alike still have an order")
  func ties() {
    let alike = ["ann", "Ann", "ann ", "\u{200B}ann", "ánn"]
    let keys = Set(alike.map { SortKey(PinyinReader.reading(of: $0)) })
    #expect(keys.count == alike.count)
  }

  @Test("The names of a section are adjacent")
  func sectionsAreContiguous() {
    let names = ["曾经", "曾国藩", "单车", "单雄信", "zoe", "1", "重庆", "重要", "\u{301}a", "·b", "あ"]
    let sorted = names.map { SortKey(PinyinReader.reading(of: $0)) }.sorted()
    #expect(sorted.map(\.section) == sorted.map(\.section).sorted())
  }

  /// Queries that match a name, and queries that do not.
  @Test(
    "A query finds a name",
    arguments: [
      (
        "张三", "zs zhangs zsan 张s zhang zhangsan z zh zhs san s 三 zhang'san Ｚ Zhang zha",
        "hangs zn an zhan'gsan x zss zhang'a"
      ),
      ("西安", "xian xi'an xa x xian'", "xia'n x'ian"),
      ("先生", "xian xians xs xian'", "xi'an xia'"),
      ("吕布", "lv lvb lu lub lyu lü lübu l", "lo ub"),
      ("重庆", "cq chongq zhongq zq qing", "hongq"),
      ("张學友", "zxy 学友 學友 张学", "xue'ou"),
      ("Müller 李", "muller mül MÜL ler li muller'l", "lli' mül'er"),
      ("Alice Wang", "alice wang alicew alice'w 'alice ALICE lice", "ali'ce wa'ng awang"),
      ("方案", "fangan fang'an fa", "fan'gan"),
      ("反感", "fangan fan'gan", "fang'an"),
      ("阿玉007", "007 yu0 ay0 00 yv 07 7", "70 y7"),
    ])
  func search(name: String, finds: String, misses: String) {
    let reading = PinyinReader.reading(of: name)
    for query in finds.split(separator: " ") {
      #expect(NameQuery(String(query)).match(reading) != nil, "\(query) finds \(name)")
    }
    for query in misses.split(separator: " ") {
      #expect(NameQuery(String(query)).match(reading) == nil, "\(query) does not find \(name)")
    }
  }

  @Test("The best match comes first")
  func ranks() {
    func rank(_ query: String, _ name: String, _ address: String = "") -> NameQuery.Rank? {
      NameQuery(query).match(PinyinReader.reading(of: name), address: address)
    }
    #expect(rank("cq", "重庆") == .head)
    #expect(rank("zq", "重庆") == .headByOtherReading)
    #expect(rank("qing", "重庆") == .inside)
    #expect(rank("hang", "不行") == .insideByOtherReading)
    #expect(rank("bob@", "张三", "bob@example.test") == .address)
    #expect(rank("BOB", "张三", "bob@example.test") == .address)
    #expect(rank("carol", "张三", "bob@example.test") == nil)
    #expect(rank("", "张三") == .head)
    #expect(rank(" \u{200B}", "张三") == .head || rank(" ", "张三") == .head)
    #expect(rank(String(repeating: "z", count: 101), "张三") == nil)
  }
}
