package io.rowlock.example;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.UniqueConstraint;
import jakarta.persistence.Version;
import org.hibernate.annotations.NaturalId;

/** An article: its slug says which one it is, its title is content. */
@Entity
@Table(
    name = "articles",
    uniqueConstraints = @UniqueConstraint(name = "articles_slug_key", columnNames = "slug"))
public class Article {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private Long id;

  @NaturalId
  @Column(nullable = false)
  private String slug;

  @Column(nullable = false)
  private String title;

  @Version
  @Column(nullable = false)
  private long revision;

  /** For the persistence provider. */
  protected Article() {}

  /** An article that is not stored yet. */
  public Article(String slug, String title) {
    this.slug = slug;
    this.title = title;
  }

  /** Given by the database; null until the article is stored. */
  public Long getId() {
    return id;
  }

  /** Identifies the article exactly; never changes. */
  public String getSlug() {
    return slug;
  }

  /** The title. */
  public String getTitle() {
    return title;
  }

  /** Replaces the title. */
  public void setTitle(String title) {
    this.title = title;
  }

  /** How often the stored article has changed. */
  public long getRevision() {
    return revision;
  }
}
