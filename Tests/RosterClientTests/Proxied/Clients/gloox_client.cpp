// A gloox session: logs in, fetches, adds, chats, is cut off, returns, says so, and leaves.

#include <gloox/client.h>
#include <gloox/connectionlistener.h>
#include <gloox/loghandler.h>
#include <gloox/logsink.h>
#include <gloox/message.h>
#include <gloox/rostermanager.h>
#include <gloox/rosteritem.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

using namespace gloox;

class Session : public ConnectionListener, public LogHandler {
public:
  Session(char **words)
    : account(words[1]), password(words[2]), port(atoi(words[4])), authority(words[5]),
      friend_(words[6]), log(fopen(words[7], "w")) {}

  int run() {
    for (int attempt = 0; attempt < 100 && !isDone; attempt++) {
      Client client(JID(account + "/gloox"), password, port);
      client.setServer("127.0.0.1");
      client.setTls(TLSRequired);
      client.setCACerts({authority});
      client.registerConnectionListener(this);
      client.logInstance().registerLogHandler(LogLevelDebug, LogAreaAll, this);
      current = &client;
      client.connect();
      usleep(100000);
    }
    return isDone ? 0 : 1;
  }

  void onConnect() override {
    isSecond = isFirst;
    isFirst = true;
    if (!isSecond) {
      current->rosterManager()->subscribe(JID(friend_), "Fr\u00e9d <&> 曾", {"Work"});
      current->send(Message(Message::Chat, JID(friend_), "hello"));
      return;
    }
    current->send(Message(Message::Chat, JID(friend_), "back"));
    isDone = true;
    current->disconnect();
  }

  void onDisconnect(ConnectionError) override {}

  // gloox 1.0.24 accepts no certificate of a given authority: it compares the name with the
  // machine's, and looks for the issuer elsewhere. So the program decides.
  bool onTLSConnect(const CertInfo &info) override {
    return info.issuer.find("recording proxy") != std::string::npos
      && info.server == "CN=" + JID(account).server();
  }

  void handleLog(LogLevel level, LogArea area, const std::string &message) override {
    fprintf(log, "log: level: %d, area: %d, %s\n", level, area, message.c_str());
    fflush(log);
  }

private:
  std::string account, password;
  int port;
  std::string authority, friend_;
  FILE *log;
  Client *current = nullptr;
  bool isFirst = false, isSecond = false, isDone = false;
};

int main(int, char **words) { return Session(words).run(); }
