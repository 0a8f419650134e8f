package dev.envelope.app.ops.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OperationsJsonTest {

    private record Document(String name, long turns, String failure) {}

    @Test
    void fieldsStandInTheOrderInWhichARecordDeclaresThem() {
        Document document = new Document("relay", 3, "none");

        assertThat(new OperationsJson().toJsonString(document, Document.class))
                .isEqualTo("{\"name\":\"relay\",\"turns\":3,\"failure\":\"none\"}");
    }
}
