import ContactSections
import Testing

@Suite("The letter of a name")
struct LetterTests {
  /// Checks names, given as `name letter` pairs separated by spaces.
  private func check(_ table: String) {
    let cells = table.split(separator: " ").map(String.init)
    for index in stride(from: 0, to: cells.count - 1, by: 2) {
      let section = PinyinReader.section(of: cells[index])
      #expect(section.title == cells[index + 1], "\(cells[index])")
      #expect(PinyinReader.reading(of: cells[index]).section == section, "\(cells[index]), as read")
    }
  }

  @Test("Names that every reader knows")
  func plainNames() {
    check("张三 Z 李四 L 王五 W 赵六 Z 欧阳锋 O 诸葛亮 Z 陈皮 C 阿宝 A 女儿 N 绿豆 L 嗯 N")
  }

  @Test("A word and a surname may begin with the same character")
  func wordsAndSurnames() {
    check("曾经 C 曾国藩 Z 曾小贤 Z 曾 Z 曾几何时 C 单车 D 单雄信 S 单田芳 S 单身贵族 D 单反 D")
    check("重庆 C 重庆火锅 C 重要 Z 重点客户 Z 解放 J 解放军 J 解小东 X 解缙 X 解忧杂货店 J")
    check("仇人 C 仇英 Q 查询 C 查良镛 Z 查理 C 区域经理 Q 区楚良 O 乐队 Y 乐观 L 乐毅 Y 盖伦 G")
    check("朴树 P 朴素 P 翟志刚 Z 覃塘 Q 缪斯 M 召唤师 Z 种子 Z 种师道 C 种菜 Z 尉迟恭 Y 折扣 Z")
  }

  @Test("Compound surnames take precedence over everything else")
  func compoundSurnames() {
    check("尉迟敬德 Y 万俟卨 M 澹台灭明 T 单于 C 长孙无忌 Z 乐正绫 Y 令狐冲 L 夹谷清臣 J 鲜于通 X")
    check("萬俟卨 M 尉遲恭 Y 單于 C 長孫無忌 Z 樂正綾 Y 澹臺滅明 T 夏侯惇 X 独孤求败 D")
  }

  @Test("A surname before a title is a person")
  func titles() {
    check("曾总 Z 曾经理 Z 单老师 S 单经理 S 解姐 X 解医生 X 查经理 Z 查校长 Z 区主任 O 仇哥 Q")
    check("老单 L 小解 X 阿曾 A 大仇 D 曾小贤老师 Z 解晓东同学 X 翟阿姨 Z 單老師 S 單小姐 S")
  }

  @Test("Words whose first character has an unusual reading")
  func words() {
    check("长江 C 长城 C 长沙同学 C 长大 Z 长辈 Z 会计 K 会议 H 行业 H 行长 H 行政部 X 行走 X 调皮 T")
    check("调查 D 调研组 D 弹钢琴 T 弹幕 D 藏族 Z 藏宝图 C 传奇 C 传记 Z 降龙 X 降价 J 参加 C")
    check("参商 S 朝霞 Z 朝鲜 C 都市 D 还钱 H 给力 G 给予 J 便宜 P 便利店 B 省钱 S 省亲 X 厦门 X")
    check("厦 S 卡车 K 卡住 Q 屏幕 P 屏气 B 扁舟 P 扁担 B 秘鲁 B 秘密 M 番茄 F 番禺 P 否极泰来 P")
    check("茄子 Q 匙子 C 泊车 B 率先 S 提防 D 提高 T 阿胶 E 阿姨 A 恶寒 W 恶心 E 将进酒 Q 稽首 Q")
    check("哪吒 N 咖喱 G 咖啡 K 铅山 Y 铅笔 Q 乐亭 L 乐清 Y 莘庄 X 涡阳 G 泌阳 B 刹那 C 刹车 S")
  }

  @Test("Traditional forms are read like their simplified forms")
  func traditional() {
    check("曾經 C 單車 D 單雄信 S 長江 C 張學友 Z 會計 K 樂隊 Y 彈琴 T 調皮 T 還錢 H 廈門 X 藏族 Z")
    check("乾杯 G 乾坤 Q 葉問 Y 種子 Z 種樹的人 Z 蓋茨 G 區域 Q 區楚良 O 査良鏞 Z 鍾馗 Z 後羿 H 臺灣 T")
  }

  @Test("Variants of a traditional form are mapped to its simplified form, too")
  func shapes() {
    check("重啓 C 祕書 M 祕方 M 羣主 Q 衞生 W 乾淨 G 乾隆 Q 乾瘦 G 乾衣機 G 乾清宮 Q 柵欄 Z 彷彿 F")
  }

  @Test("A surname can be followed by a separator and a remark")
  func separators() {
    check("曾-律师 Z 单-摄影 S 单—设计 S 单·设计 S 解_培训 X 仇|设计 Q 盖/保险 G 区（店长） O 区【店长】 O")
    check("解：装修 X 查，财务 Z 种-律师 C 折（销售） S 單－攝影 S 查@北京 Z")
    // Punctuation that ends a sentence and digits are not separators, and a word before a separator
    // stays a word.
    check("单！ D 单1 D 解？ J 区。 Q 查… C 单车-租 D 乐队（缺鼓手） Y 解放-军 J 查询（快） C")
    for (name, letter) in [
      ("仇 | 设计", "Q"), ("单 设计", "S"), ("解 · 设计", "X"), ("单 车", "D"), ("乐 高", "L"), ("种 菜", "Z"),
    ] {
      #expect(PinyinReader.section(of: name).title == letter, "\(name)")
      #expect(PinyinReader.reading(of: name).section.title == letter, "\(name), as read")
    }
  }

  @Test("A surname can be followed by a word for a house, whatever comes after it")
  func houses() {
    check("单氏 S 单氏集团 S 解氏宗亲会 X 區氏 O 查氏食品厂 Z 单家 S 解家村委会 X 查家大院 Z 种家庄 C")
    check("仇家 C 仇家庄 Q 区府 O 乐家 L 折家将 S 解上校 X 单丫头 S 查代表 Z 乐氏 L")
  }

  @Test("A rare surname needs a given name after it, with or without a title")
  func rareSurnames() {
    check("折伟老师 S 折可求 S 种建国 C 种植园 Z 繁卫东 P 繁星 F 祭遵 Z 祭品 J 句品超 G 句子 J")
    check("单表哥 S 查财务 Z 解导 X 单品 D 查房 C 曾参 Z 曾参加 C 曾有为 Z 曾有一天 C 曾黎 Z")
    check("乐嘉 Y 乐陶陶 L 乐浪郡 L 术虎高琪 Z 朝日新闻 Z 朝阳区 C 重活 Z 重活一回 C 降福 J")
  }

  @Test("A character without a reading takes that of its other forms")
  func borrowed() {
    check("𬘝 Z 𫧯 X 𬘖 J 𬭲 S 𬴐 H")
  }

  @Test("Small capitals and variant letters are listed under their base letters")
  func shapedLetters() {
    check("ᴀʟɪᴄᴇ A ʙᴏʙ B ɢ G ꞯ Q ʉ U Ɖ D ŉ N ɡ G 𝓐𝓵𝓲𝓬𝓮 A Ａｌｉｃｅ A ⓐⓛ A")
  }

  @Test("Rare characters have readings too")
  func rare() {
    check("𠮷野家 J 〇一 L 㐂 X 𠀀 H 㐀 Q 𪚥 Z 囧 J 犇 B 淼 M 䶮 Y 龘 D 𬭊 D")
  }

  @Test("Compatibility forms are read as their characters")
  func compatibility() {
    check("\u{F914}隊 Y \u{2F00} Y \u{32A3} Z \u{2F81A} D \u{FF21}lice A \u{24B6} A \u{1F130} A")
  }

  @Test("Latin letters are listed under their base letters")
  func latin() {
    check("Alice A bob B Élan E Ångström A Øre O Łukasz L ßtrand S Æon A Œuvre O Þór T ðe D ıs I")
    check("Ħal H ŧ T ñandú N Çelik C Žižek Z ﬁx F Ⅷ V ǆ D Ə E ａｂ A ᴬ A ỹ Y")
    #expect(PinyinReader.section(of: "e\u{301}a").title == "E")
  }

  @Test("Invisible characters do not matter")
  func invisible() {
    let prefixes: [String] = [
      " ", "\u{3000}", "\u{A0}", "\t", "\u{200B}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{202E}",
      "\u{2066}", "\u{FEFF}", "\u{FE0F}", "\u{34F}", "\u{AD}", "\u{E0041}", "\u{0}", "\u{2028}",
      "\u{180B}", "\u{E0100}", "\u{3164}", "\r\n",
    ]
    for prefix in prefixes {
      #expect(PinyinReader.section(of: prefix + "张三").title == "Z")
      #expect(PinyinReader.section(of: prefix + prefix + "Émile").title == "E")
    }
    check("曾\u{200B}经 C 单\u{FE00}车 D 单·雄信 S 曾\u{3000}经 C 单\u{3000}雄信 S")
    #expect(PinyinReader.section(of: "曾 经").title == "C")
    #expect(PinyinReader.section(of: "曾小贤 北京分公司").title == "Z")
  }

  @Test("Everything else is listed under #")
  func other() {
    check("123 # ٣ # １ # -a # （张三） # ☎ # 😀张三 # ❤️李 # 1️⃣ # 🇨🇳 # 🈶 # ㊙ # ™ # ½ # ① #")
    check("Анна # あい # ｱ # 한국 # ไทย # Ωmega # अ # ㄅ # 々 # ℃ # $ # _x # ② #")
    for name in ["", " ", "\u{200B}", "\u{301}a", "·张"] {
      #expect(PinyinReader.section(of: name) == .other)
    }
  }
}
