package dev.envelope.idempotency.json;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.introspect.AccessorNamingStrategy;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.introspect.DefaultAccessorNamingStrategy;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;

/**
 * Decides which members of a record are written to JSON: its components and annotated methods.
 * Other methods are left out, even if they are named like getters: their results follow from the
 * components, and there is no property to read them into.
 *
 * <p>Rows that were written before this rule have the values of such getters. When a state is read,
 * exactly these names are ignored, in objects that are read as that record.
 *
 * <p>Threads: thread-safe (a concurrent map).
 */
final class RecordMembers extends DeserializationProblemHandler {

    private final JsonMapper former;
    private final Map<Class<?>, Set<String>> namesByRecord = new ConcurrentHashMap<>();

    private RecordMembers(JsonMapper former) {
        this.former = former;
    }

    /** The naming strategy for a mapper. */
    static AccessorNamingStrategy.Provider naming() {
        return new Naming();
    }

    /** Ignores the members of records that a mapper like this one, without the rule, wrote. */
    static DeserializationProblemHandler passingOverFormer(JsonMapper mapper) {
        return new RecordMembers(
                mapper.rebuild()
                        .accessorNaming(new DefaultAccessorNamingStrategy.Provider())
                        .build());
    }

    @Override
    public boolean handleUnknownProperty(
            DeserializationContext context,
            JsonParser parser,
            ValueDeserializer<?> deserializer,
            Object beanOrClass,
            String name) {
        Class<?> type = beanOrClass instanceof Class<?> it ? it : beanOrClass.getClass();
        if (!type.isRecord() || !namesByRecord.computeIfAbsent(type, this::names).contains(name)) {
            return false;
        }
        parser.skipChildren();
        return true;
    }

    private Set<String> names(Class<?> type) {
        Names names = new Names();
        try {
            former.acceptJsonFormatVisitor(type, names);
        } catch (JacksonException e) {
            return Set.of(); // then no such mapper could write the type either
        }
        return names.found;
    }

    /** The names of the members that a mapper writes of a type. */
    private static final class Names extends JsonFormatVisitorWrapper.Base {

        private final Set<String> found = new HashSet<>();

        @Override
        public JsonObjectFormatVisitor expectObjectFormat(JavaType type) {
            return new JsonObjectFormatVisitor.Base(getContext()) {
                @Override
                public void property(BeanProperty member) {
                    found.add(member.getName());
                }

                @Override
                public void optionalProperty(BeanProperty member) {
                    found.add(member.getName());
                }
            };
        }
    }

    private static final class Naming extends DefaultAccessorNamingStrategy.Provider {

        private static final long serialVersionUID = 1L;

        @Override
        public AccessorNamingStrategy forRecord(MapperConfig<?> config, AnnotatedClass type) {
            return new DefaultAccessorNamingStrategy.RecordNaming(config, type) {
                @Override
                public @Nullable String findNameForRegularGetter(
                        AnnotatedMethod method, String name) {
                    return _fieldNames.contains(name) || isAnnotated(method)
                            ? super.findNameForRegularGetter(method, name)
                            : null;
                }

                @Override
                public @Nullable String findNameForIsGetter(AnnotatedMethod method, String name) {
                    return isAnnotated(method) ? super.findNameForIsGetter(method, name) : null;
                }

                private boolean isAnnotated(AnnotatedMethod method) {
                    return config.getAnnotationIntrospector()
                                    .findNameForSerialization(config, method)
                            != null;
                }
            };
        }
    }
}
