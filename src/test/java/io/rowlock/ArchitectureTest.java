package io.rowlock;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

/** Which package may know what. */
@AnalyzeClasses(packages = "io.rowlock", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  private static final String[] API = {
    "io.rowlock", "io.rowlock.create", "io.rowlock.lock", "io.rowlock.retry"
  };
  private static final String CDI = "io.rowlock.cdi";
  private static final String INTERNAL = "io.rowlock.internal";
  private static final String HIBERNATE = "io.rowlock.internal.hibernate";
  private static final String POSTGRES = "io.rowlock.internal.postgres";

  /** The entry point: the only class of the API that knows what is behind it. */
  private static final DescribedPredicate<JavaClass> ENTRY_POINT =
      describe(
          "Rowlock",
          type ->
              type.getName().equals("io.rowlock.Rowlock") || isInside("io.rowlock.Rowlock", type));

  private static boolean isInside(String outer, JavaClass type) {
    return type.getName().startsWith(outer + "$");
  }

  @ArchTest
  static final ArchRule onlyOnePackageKnowsHibernate =
      noClasses()
          .that()
          .resideOutsideOfPackage(HIBERNATE)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.hibernate..");

  @ArchTest
  static final ArchRule onlyOnePackageKnowsTheDriver =
      noClasses()
          .that()
          .resideOutsideOfPackage(POSTGRES)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.postgresql..");

  @ArchTest
  static final ArchRule onlyTwoPackagesKnowJdbc =
      noClasses()
          .that()
          .resideOutsideOfPackages(HIBERNATE, POSTGRES)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.sql..", "javax.sql..");

  @ArchTest
  static final ArchRule theApiKnowsTheJdkPersistenceAndItself =
      classes()
          .that(resideInAnyPackage(API).and(not(ENTRY_POINT)))
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(API)
                  .or(resideInAnyPackage("java..", "jakarta.persistence..", "org.jspecify..")));

  @ArchTest
  static final ArchRule theEntryPointKnowsTheEngineOnly =
      noClasses()
          .that(ENTRY_POINT)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(INTERNAL + ".*..", CDI);

  @ArchTest
  static final ArchRule cdiIsALayerOnTop =
      classes()
          .that()
          .resideInAPackage(CDI + "..")
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(API)
                  .or(resideInAnyPackage(CDI + "..", INTERNAL))
                  .or(resideInAnyPackage("java..", "jakarta..", "org.jspecify..")))
          .allowEmptyShould(true);

  /** Those interfaces are optional dependencies: without a container they may be absent. */
  @ArchTest
  static final ArchRule onlyCdiKnowsContainers =
      noClasses()
          .that()
          .resideOutsideOfPackage(CDI + "..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "jakarta.enterprise..",
              "jakarta.inject..",
              "jakarta.interceptor..",
              "jakarta.annotation..");

  @ArchTest
  static final ArchRule nothingKnowsCdi =
      noClasses()
          .that()
          .resideOutsideOfPackage(CDI + "..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(CDI + "..");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices()
          .assignedFrom(new PackageSlices())
          .should()
          .beFreeOfCycles()
          .ignoreDependency(ENTRY_POINT, resideInAPackage(INTERNAL));

  private static final class PackageSlices implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      return SliceIdentifier.of(type.getPackageName());
    }

    @Override
    public String getDescription() {
      return "packages";
    }
  }
}
