package dev.envelope.integration.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What a class looks like from outside. What breaks a rule is reported with the class first. */
final class Shapes {

    private Shapes() {}

    /** One rule about each class. */
    private abstract static class Shape extends ArchCondition<JavaClass> {

        Shape(String description) {
            super(description);
        }

        static void report(JavaClass type, String what, ConditionEvents events) {
            events.add(SimpleConditionEvent.violated(type, type.getName() + " " + what));
        }
    }

    /** A constructor has so many parameters at most; those of a record are its components. */
    static final class Constructors extends Shape {

        private final int most;

        Constructors(int most) {
            super("have constructors of at most " + most + " parameters");
            this.most = most;
        }

        @Override
        public void check(JavaClass type, ConditionEvents events) {
            int parameters =
                    type.getConstructors().stream()
                            .mapToInt(it -> it.getRawParameterTypes().size() - unwritten(it))
                            .max()
                            .orElse(0);
            if (parameters > most && !type.isAnonymousClass() && !type.isRecord()) {
                report(type, "asks for " + parameters, events);
            }
        }

        /** What the compiler adds: the object around, the name and the place of a constant. */
        private static int unwritten(JavaConstructor constructor) {
            JavaClass type = constructor.getOwner();
            boolean isInner =
                    type.isInnerClass() && !type.getModifiers().contains(JavaModifier.STATIC);
            return type.isEnum() ? 2 : isInner ? 1 : 0;
        }
    }

    /** So many fields at most are not final. */
    static final class MutableFields extends Shape {

        private final int most;

        MutableFields(int most) {
            super("have at most " + most + " fields that change");
            this.most = most;
        }

        @Override
        public void check(JavaClass type, ConditionEvents events) {
            List<String> mutable =
                    type.getFields().stream()
                            .filter(Shapes::isMutable)
                            .map(JavaField::getName)
                            .toList();
            if (mutable.size() > most) {
                report(type, "changes " + mutable, events);
            }
        }
    }

    /** Whether it can be given another value. */
    static boolean isMutable(JavaField field) {
        Set<JavaModifier> modifiers = field.getModifiers();
        return !modifiers.contains(JavaModifier.FINAL)
                && !modifiers.contains(JavaModifier.STATIC)
                && !modifiers.contains(JavaModifier.SYNTHETIC);
    }

    /** So many files of a package at most need each other in a circle. */
    static final class Circles extends Shape {

        private final int most;

        Circles(int most) {
            super("be in no circle of more than " + most + " classes of their package");
            this.most = most;
        }

        @Override
        public void check(JavaClass type, ConditionEvents events) {
            if (type.getEnclosingClass().isEmpty()) {
                Set<String> circle =
                        reached(type).stream()
                                .filter(it -> reached(it).contains(type))
                                .map(JavaClass::getSimpleName)
                                .collect(Collectors.toCollection(TreeSet::new));
                if (circle.size() > most) {
                    report(type, "is in a circle: " + String.join(", ", circle), events);
                }
            }
        }

        /** The classes of its package that it needs, or that those need. */
        private static Set<JavaClass> reached(JavaClass type) {
            Set<JavaClass> reached = new HashSet<>();
            reach(type, reached);
            return reached;
        }

        private static void reach(JavaClass type, Set<JavaClass> reached) {
            type.getPackage().getClasses().stream()
                    .filter(it -> outermost(it).equals(type))
                    .flatMap(it -> it.getDirectDependenciesFromSelf().stream())
                    .map(it -> outermost(it.getTargetClass().getBaseComponentType()))
                    .filter(it -> it.getPackageName().equals(type.getPackageName()))
                    .filter(it -> !it.equals(type) || !reached.contains(type))
                    .forEach(
                            it -> {
                                if (reached.add(it)) {
                                    reach(it, reached);
                                }
                            });
        }

        private static JavaClass outermost(JavaClass type) {
            return type.getEnclosingClass().map(Circles::outermost).orElse(type);
        }
    }
}
