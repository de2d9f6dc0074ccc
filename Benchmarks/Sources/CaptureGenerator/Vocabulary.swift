/// The vocabulary for names and messages.
enum Vocabulary {
  static let surnames = [
    ("王", "wang"), ("李", "li"), ("张", "zhang"), ("刘", "liu"), ("陈", "chen"), ("杨", "yang"),
    ("赵", "zhao"), ("黄", "huang"), ("周", "zhou"), ("吴", "wu"), ("徐", "xu"), ("孙", "sun"),
    ("胡", "hu"), ("朱", "zhu"), ("高", "gao"), ("林", "lin"), ("何", "he"), ("郭", "guo"),
    ("单", "shan"), ("曾", "zeng"), ("欧阳", "ouyang"), ("司马", "sima"), ("诸葛", "zhuge"),
  ]
  static let given = [
    ("伟", "wei"), ("芳", "fang"), ("娜", "na"), ("秀英", "xiuying"), ("敏", "min"), ("静", "jing"),
    ("丽", "li"), ("强", "qiang"), ("磊", "lei"), ("军", "jun"), ("洋", "yang"), ("勇", "yong"),
    ("艳", "yan"), ("杰", "jie"), ("娟", "juan"), ("涛", "tao"), ("明", "ming"), ("超", "chao"),
    ("秀兰", "xiulan"), ("霞", "xia"), ("平", "ping"), ("刚", "gang"), ("桂英", "guiying"),
    ("国华", "guohua"), ("志强", "zhiqiang"), ("晓梅", "xiaomei"), ("雨桐", "yutong"),
  ]
  static let latinFirst = [
    "Alice", "Bob", "Carol", "Dave", "Erin", "Frank", "Grace", "Heidi", "Ivan", "Judy", "Mallory",
    "Niaj", "Olivia", "Peggy", "Rupert", "Sybil", "Trent", "Victor", "Wendy", "Zoë", "Émile",
  ]
  static let latinLast = [
    "Smith", "Jones", "Müller", "Fischer", "Weber", "Dubois", "Rossi", "Novák", "Kowalski",
    "O'Brien", "Andersson", "Nielsen", "Łukasz", "Šimek", "García", "Silva & Sons",
  ]
  static let groups = ["Friends", "Family", "Work", "同事", "朋友", "家人", "大学同学", "R&D"]
  static let domains = [
    "example.test", "jabber.example.test", "im.example.org", "xmpp.example.net",
  ]
  static let resources = [
    "phone.Xa81", "Conversations.k3Qz", "gajim.9FJ2X1", "Dino.5d0c1b2a", "laptop", "家里",
    "profanity.8dbK", "Monal-iOS.4f2a",
  ]
  static let chinese = [
    "今天晚上一起吃饭吗", "我刚到公司", "会议改到下午三点", "好的，没问题", "文件已经发给你了",
    "周末去爬山怎么样", "你看到昨天的消息了吗", "谢谢，辛苦了", "路上有点堵，晚到十分钟",
    "这个版本的测试还没有跑完", "生日快乐", "明天记得带身份证", "服务器又重启了一次",
    "我把会议记录整理好放在共享文件夹里了", "孩子们已经睡了", "下周的机票已经订好",
  ]
  static let latin = [
    "are you around for lunch", "just pushed the fix, please have a look", "see you at the station",
    "the build is green again", "can you call me back when you have a minute", "sounds good",
    "I will be ten minutes late", "did the parcel arrive", "thanks a lot", "back in five",
    "I've moved the meeting to Thursday", "the roster on my phone still shows the old name",
    "nobody expects the second resource", "let's keep it short today", "happy birthday",
    "if a < b && b < c then we are done", "tickets are booked",
  ]
  static let statuses = [
    "At work", "在开会", "away from keyboard", "出差中，有事请留言", "🎧", "Back at 14:00 & not before",
    "勿扰", "on the train",
  ]
  static let nodes = [
    "http://conversations.im", "https://gajim.org", "https://dino.im",
    "http://profanity-im.github.io",
    "https://monal-im.org/", "http://pidgin.im/",
  ]
  static let features = [
    "http://jabber.org/protocol/caps", "http://jabber.org/protocol/chatstates",
    "http://jabber.org/protocol/disco#info", "jabber:iq:version", "jabber:x:conference",
    "urn:xmpp:chat-markers:0", "urn:xmpp:receipts", "urn:xmpp:time", "urn:xmpp:ping",
    "http://jabber.org/protocol/nick+notify", "urn:xmpp:avatar:metadata+notify",
    "eu.siacs.conversations.axolotl.devicelist+notify", "urn:xmpp:jingle:1",
    "urn:xmpp:message-correct:0",
  ]
}
