// A QXmpp session: logs in, fetches, adds, chats, is cut off, returns, says so, and leaves.

#include <QCoreApplication>
#include <QSslCertificate>
#include <QTimer>
#include <QXmppClient.h>
#include <QXmppConfiguration.h>
#include <QXmppLogger.h>
#include <QXmppMessage.h>
#include <QXmppRosterManager.h>

int main(int count, char **words) {
  QCoreApplication application(count, words);
  QString friend_ = words[6];
  QXmppClient client;
  client.logger()->setLogFilePath(words[7]);
  client.logger()->setLoggingType(QXmppLogger::FileLogging);

  QXmppConfiguration configuration;
  configuration.setJid(words[1]);
  configuration.setPassword(words[2]);
  configuration.setHost(words[3]);
  configuration.setPort(atoi(words[4]));
  configuration.setStreamSecurityMode(QXmppConfiguration::TLSRequired);
  configuration.setAutoReconnectionEnabled(false);
  configuration.setCaCertificates(QSslCertificate::fromPath(words[5]));

  auto *roster = client.findExtension<QXmppRosterManager>();
  bool hasAsked = false, isLeaving = false;
  QObject::connect(roster, &QXmppRosterManager::rosterReceived, [&] {
    // It leaves only once it has the roster again: only the new session's roster has the changes
    // whose pushes were lost with the connection. QXmpp 1.4 resumes no session.
    if (hasAsked) {
      client.sendPacket(QXmppMessage("", friend_, "back"));
      isLeaving = true;
      client.disconnectFromServer();
      return;
    }
    hasAsked = true;
    roster->addItem(friend_, "Fr\u00e9d <&> 曾", {"Work"});
    roster->subscribe(friend_);
    client.sendPacket(QXmppMessage("", friend_, "hello"));
  });
  // QXmpp 1.4 waits forever if a server ignores its malformed <resume/>.
  auto connect = [&] {
    client.connectToServer(configuration);
    QTimer::singleShot(5000, [&] { if (!client.isConnected()) client.disconnectFromServer(); });
  };
  // On its own it would reconnect after ten seconds, and after a stream error not always.
  QObject::connect(&client, &QXmppClient::disconnected, [&] {
    if (isLeaving) return application.quit();
    QTimer::singleShot(100, connect);
  });
  connect();
  return application.exec();
}
