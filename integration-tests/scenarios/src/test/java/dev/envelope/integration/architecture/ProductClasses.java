package dev.envelope.integration.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

/**
 * The classes of all modules as they run, without tests and test kits.
 *
 * <p>Threads: immutable.
 */
final class ProductClasses {

    static final JavaClasses ALL =
            new ClassFileImporter()
                    .withImportOption(location -> !location.contains("/test-classes/"))
                    .withImportOption(location -> !location.contains("-tests.jar"))
                    .importPackages("dev.envelope");

    private ProductClasses() {}
}
