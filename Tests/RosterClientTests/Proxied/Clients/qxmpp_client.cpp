// A session of QXmpp: logs in, fetches, adds, chats, is cut off, comes back, says so, and leaves.

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
    // It leaves only once it has the roster again: of a push that was on its way when the
    // connection was cut, the new session's roster alone tells it. QXmpp 1.4 resumes no session.
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
  // QXmpp 1.4 waits for ever where a server ignores its wrong <resume/>.
  auto connect = [&] {
    client.connectToServer(configuration);
    QTimer::singleShot(5000, [&] { if (!client.isConnected()) client.disconnectFromServer(); });
  };
  // It would do so by itself after ten seconds, and after an error of the stream not always.
  QObject::connect(&client, &QXmppClient::disconnected, [&] {
    if (isLeaving) return application.quit();
    QTimer::singleShot(100, connect);
  });
  connect();
  return application.exec();
}
