import type { Form } from "@nts/shared/mongo/forms";

/** Common members of entities. */
export interface Entity {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** How entities of a kind are stored. */
export interface EntityKind<T extends Entity> {
  readonly collection: string;
  /** Name in `not_found` and other errors. */
  readonly name: string;
  /** null for organization-level entities, which are visible from all networks; returns null for one of these. */
  readonly networkOf: ((entity: T) => string | null) | null;
  /** True if some of them are organization-level ones. */
  readonly mayBeOfAll?: boolean;
  /** True for what disappears with a host. */
  readonly onHosts?: boolean;
  /** True for what is between hosts, and has no name of its own. */
  readonly between?: boolean;
  /** True for entities with tags. */
  readonly tagged?: boolean;
  /** True for entities with sightings. */
  readonly sighted?: boolean;
  /** True for parts of other entities, which change with them. */
  readonly isPart?: true;
  /** Document fields with its name; by default `name`. */
  readonly namedIn?: readonly string[] | undefined;
  /** Fields next to the entity's text, for filters and orders. */
  readonly keysOf: (entity: T) => Record<string, unknown>;
  /** Sort fields that are not members of the entity, such as its host's name. */
  readonly denormalizedKeys?: readonly string[] | undefined;
  /** Removes what is not part of the entity, such as an echoed member. */
  readonly clean: (entity: T) => T;
  /** By default the first one. */
  readonly form?: Form<T> | undefined;
}
