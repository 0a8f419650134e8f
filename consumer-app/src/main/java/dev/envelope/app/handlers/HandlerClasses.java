package dev.envelope.app.handlers;

import dev.envelope.idempotency.json.Brief;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;

/**
 * Loads the classes that settings may name: from the class path first, then from {@code
 * handler.path}. Its class loader stays open as long as the process runs.
 *
 * <p>Threads: immutable.
 */
final class HandlerClasses {

    private static final int FIRST_CLASS_FILE_VERSION = 44; // the version of Java N is N more

    private final ClassLoader loader;
    private final List<Path> jars;

    private HandlerClasses(ClassLoader loader, List<Path> jars) {
        this.loader = loader;
        this.jars = jars;
    }

    static HandlerClasses on(List<Path> path) {
        ClassLoader parent = HandlerClasses.class.getClassLoader();
        List<Path> places = new ArrayList<>();
        for (Path entry : path) {
            if (!Files.isReadable(entry)) {
                throw HandlerException.of(
                        "handler.path", entry + " is not there or can't be read; correct the path");
            }
            places.add(entry);
            if (Files.isDirectory(entry)) {
                places.addAll(jarsIn(entry));
            }
        }
        List<Path> jars = places.stream().filter(place -> !Files.isDirectory(place)).toList();
        URL[] urls = places.stream().map(HandlerClasses::url).toArray(URL[]::new);
        return new HandlerClasses(new URLClassLoader(urls, parent), jars);
    }

    /** The class of that name. */
    Class<?> find(String name, String setting) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            String hint =
                    sameSimpleName(name)
                            .map(found -> "; did you mean " + found + "?")
                            .orElse("; add its jar to handler.path, or correct the name");
            throw HandlerException.of(setting, "there is no class " + name + hint);
        } catch (UnsupportedClassVersionError e) {
            throw HandlerException.of(setting, tooNew(name, e));
        } catch (LinkageError e) {
            throw HandlerException.of(setting, unlinked(name, e));
        }
    }

    /**
     * Creates an object by the constructor with a map of settings, or the one without parameters.
     */
    Object create(Class<?> type, Map<String, String> config, String setting) {
        Constructor<?> configured = constructor(type, Map.class);
        Constructor<?> chosen = configured == null ? constructor(type) : configured;
        if (chosen == null || Modifier.isAbstract(type.getModifiers())) {
            throw HandlerException.of(
                    setting,
                    "%s needs a public constructor, without parameters or with one Map<String, String>"
                            .formatted(type.getName()));
        }
        if (configured == null && !config.isEmpty()) {
            throw HandlerException.of(
                    setting,
                    "%s.config.* is set, but %s has no public constructor that takes a Map<String, String>"
                            .formatted(setting, type.getName()));
        }
        return within(
                loader,
                () ->
                        configured == null
                                ? make(chosen, setting)
                                : make(chosen, setting, Map.copyOf(config)));
    }

    private static Object make(Constructor<?> constructor, String setting, Object... arguments) {
        String name = constructor.getDeclaringClass().getName();
        try {
            return constructor.newInstance(arguments);
        } catch (ReflectiveOperationException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause(); // of the constructor
            throw HandlerException.of(
                    setting, "%s can't be created: %s".formatted(name, Brief.of(cause)));
        } catch (LinkageError e) {
            throw HandlerException.of(setting, unlinked(name, e));
        }
    }

    /** Makes a call with this class loader as the thread's context class loader. */
    static <T extends @Nullable Object> T within(ClassLoader loader, Supplier<T> call) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return call.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static @Nullable Constructor<?> constructor(Class<?> type, Class<?>... parameters) {
        try {
            return type.getConstructor(parameters);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    private static String tooNew(String name, UnsupportedClassVersionError e) {
        String said = String.valueOf(e.getMessage());
        String version = said.replaceAll(".*class file version (\\d+).*", "$1");
        String needs =
                version.matches("\\d{2,3}")
                        ? "Java " + (Integer.parseInt(version) - FIRST_CLASS_FILE_VERSION)
                        : "a later Java";
        return "%s is compiled for %s, and this is Java %d; compile it for this one"
                .formatted(name, needs, Runtime.version().feature());
    }

    private static String unlinked(String name, LinkageError e) {
        return "%s needs a class that is not there or does not fit (%s); add its jar to handler.path"
                .formatted(name, Brief.of(e));
    }

    private Optional<String> sameSimpleName(String name) {
        String simple = name.substring(name.lastIndexOf('.') + 1);
        for (Path jar : jars) {
            try (JarFile file = new JarFile(jar.toFile())) {
                Optional<String> found =
                        file.stream()
                                .map(ZipEntry::getName)
                                .filter(entry -> entry.endsWith("/" + simple + ".class"))
                                .findFirst();
                if (found.isPresent()) {
                    return found.map(it -> it.substring(0, it.lastIndexOf('.')).replace('/', '.'));
                }
            } catch (IOException e) {
                throw HandlerException.of("handler.path", jar + " is no jar: " + Brief.of(e));
            }
        }
        return Optional.empty();
    }

    private static List<Path> jarsIn(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
        } catch (IOException e) {
            throw HandlerException.of("handler.path", folder + " can't be read: " + Brief.of(e));
        }
    }

    private static URL url(Path place) {
        try {
            return place.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }
}
