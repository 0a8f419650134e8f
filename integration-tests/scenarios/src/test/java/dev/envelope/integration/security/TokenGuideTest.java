package dev.envelope.integration.security;

import dev.envelope.integration.docs.GuidePage;
import dev.envelope.integration.security.SecureServers.Listener;
import dev.envelope.integration.stack.Database;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The page about tokens, with a broker that checks them and a service that gives them. */
@Tag("cluster")
@Tag("long")
@ExtendWith(OneSecureStack.class)
class TokenGuideTest {

    private final SecureServers servers;

    TokenGuideTest(SecureServers servers) {
        this.servers = servers;
    }

    @Test
    void aBrokerLetsInWhoHasATokenOfItsService() throws Exception {
        String name = TokenServer.CLIENT;
        servers.topics().create(name, 2);
        servers.allow(name, ResourceType.TOPIC, AclOperation.READ);
        servers.allow(name, ResourceType.GROUP, AclOperation.READ);
        Database database = servers.postgres().createDatabase("envelope");
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", servers.broker().bootstrapServers()),
                        new StringSerializer(),
                        new StringSerializer())) {
            producer.send(new ProducerRecord<>(name, "customer-1", "{\"amount\":42}")).get();
        }
        Map<String, String> addresses =
                Map.of(
                        "localhost:9093",
                        Listener.TOKENS.address(),
                        "localhost:5432",
                        "127.0.0.1:" + servers.postgres().port(),
                        "localhost:8180",
                        servers.tokens().address(),
                        "ca.pem",
                        servers.trust().toString());
        try (GuidePage page = new GuidePage("tokens", servers.workspace(), database, addresses)) {
            page.follow();
        }
    }
}
