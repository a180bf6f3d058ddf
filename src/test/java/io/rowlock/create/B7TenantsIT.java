package io.rowlock.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowlock.Rowlock;
import io.rowlock.UnsupportedMappingException;
import io.rowlock.testing.Postgres;
import io.rowlock.testing.TestUnit;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.util.List;
import org.hibernate.annotations.NaturalId;
import org.hibernate.annotations.TenantId;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** B7: tenants in one table do not see each other's rows, and each can have the same key. */
class B7TenantsIT {

  @RegisterExtension
  static final Postgres db =
      new Postgres(
          "create sequence leased_seq increment 50",
          "create table leased (id bigint primary key, tenant_id text not null,"
              + " slug text not null, note text, version int not null,"
              + " constraint leased_key unique (tenant_id, slug))",
          "create table shared (id bigint generated always as identity primary key,"
              + " tenant text not null, slug text not null unique)");

  static final class Current implements CurrentTenantIdentifierResolver<String> {
    private String tenant = "a";

    @Override
    public String resolveCurrentTenantIdentifier() {
      return tenant;
    }

    @Override
    public boolean validateExistingCurrentSessions() {
      return false;
    }

    @Override
    public boolean isRoot(String id) {
      return id.equals("root");
    }
  }

  static final Current CURRENT = new Current();
  static TestUnit unit;
  static Creating create;

  @BeforeAll
  static void open() {
    unit =
        db.unit(Leased.class, Shared.class)
            .property("hibernate.tenant_identifier_resolver", CURRENT)
            .open();
    create = new Creating(unit);
  }

  @BeforeEach
  void empty() throws Exception {
    CURRENT.tenant = "a";
    db.execute("truncate leased, shared");
  }

  @Test
  void the_tenant_is_stored_as_persist_stores_it_and_is_part_of_the_key() throws Exception {
    unit.factory().runInTransaction(em -> em.persist(new Leased("persist", "x")));
    GetOrCreateResult<Leased> first = create.getOrCreate(new Leased("s", "of a"));
    assertThat(first.created()).isTrue();
    assertThat(first.entity().tenant).isEqualTo("a");
    assertThat(create.getOrCreate(new Leased("s", "again")).entity().id)
        .isEqualTo(first.entity().id);
    assertThat(create.getOrCreate(new Leased("persist", "y")).created()).isFalse();

    CURRENT.tenant = "b";
    GetOrCreateResult<Leased> second = create.getOrCreate(new Leased("s", "of b"));
    assertThat(second.created()).isTrue();
    assertThat(create.upsert(new Leased("s", "new of b")).outcome())
        .isEqualTo(UpsertResult.Outcome.UPDATED);
    assertThat(db.column("select tenant_id || ':' || note from leased order by tenant_id, slug"))
        .containsExactly("a:x", "a:of a", "b:new of b");
  }

  @Test
  void batches_keep_to_their_tenant() throws Exception {
    Rowlock rowlock = Rowlock.of(unit.factory());
    List<Leased> rows = List.of(new Leased("s", "1"), new Leased("t", "2"));
    List<GetOrCreateResult<Leased>> first = rowlock.call(work -> work.getOrCreateAll(rows));
    assertThat(first).allMatch(GetOrCreateResult::created);
    CURRENT.tenant = "b";
    List<Leased> others = List.of(new Leased("t", "3"), new Leased("s", "4"));
    List<UpsertResult<Leased>> second = rowlock.call(work -> work.upsertAll(others));
    assertThat(second).extracting(UpsertResult::outcome).containsOnly(UpsertResult.Outcome.CREATED);
    assertThat(db.column("select tenant_id || slug || note from leased order by tenant_id, slug"))
        .containsExactly("as1", "at2", "bs4", "bt3");
  }

  @Test
  void the_key_may_be_named_with_or_without_the_tenant() {
    create.getOrCreate(new Leased("s", "of a"));
    for (NaturalKey key :
        new NaturalKey[] {
          NaturalKey.of("slug"),
          NaturalKey.of("slug", "tenant"),
          NaturalKey.constraint("leased_key")
        }) {
      assertThat(create.getOrCreate(new Leased("s", "x"), GetOrCreate.by(key)).created()).isFalse();
    }
  }

  @Test
  void a_candidate_of_another_tenant_is_refused_as_persist_refuses_it() {
    Leased foreign = new Leased("s", "x");
    foreign.tenant = "b";
    assertThatThrownBy(() -> create.getOrCreate(foreign))
        .hasMessageContaining("assigned tenant id differs from current tenant id");
    CURRENT.tenant = "root";
    assertThat(create.getOrCreate(foreign).entity().tenant).isEqualTo("b");
  }

  @Test
  void a_key_that_all_tenants_share_is_refused() throws Exception {
    assertThatThrownBy(() -> create.getOrCreate(new Shared("s")))
        .isInstanceOf(UnsupportedMappingException.class)
        .hasMessageContaining("Shared")
        .hasMessageContaining("tenant tells tenants apart and is part of every key")
        .hasMessageContaining("add constraint shared_slug_tenant_key unique (slug, tenant)");
    db.execute("alter table shared add unique (slug, tenant)");
    assertThat(create.getOrCreate(new Shared("s")).created()).isTrue();
  }

  @Entity(name = "leased")
  static class Leased {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE)
    Long id;

    @TenantId
    @Column(name = "tenant_id")
    String tenant;

    @NaturalId String slug;
    String note;
    @Version int version;

    protected Leased() {}

    Leased(String slug, String note) {
      this.slug = slug;
      this.note = note;
    }
  }

  @Entity(name = "shared")
  static class Shared {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @TenantId String tenant;
    @NaturalId String slug;

    protected Shared() {}

    Shared(String slug) {
      this.slug = slug;
    }
  }
}
