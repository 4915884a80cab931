import type { z } from "zod";
import { type KindName, KINDS, type PluralOf } from "@nts/shared/contract/kinds";
import type { Entity, EntityKind } from "./entity-kind.js";
import { madeBy, type Recipe, valueIn } from "./recipe.rules.js";

// A kind is declared once: which members of a body are copied as they are, which are placed by rules of their own, what
// those that a creation may leave out become, and how entities are stored and archived. Creations, updates, imports and
// archives build entities from that. What clients know, too, is in the contract.

type Member<Body extends z.ZodObject> = keyof z.output<Body> & string;

/** Members that a body sets directly. */
type Copied<Create extends z.ZodObject, Update extends z.ZodObject, Placed extends string> = Exclude<
  Member<Create> | Member<Update>,
  Placed
>;

type OptionalIn<Body> = { [Name in keyof Body]-?: undefined extends Body[Name] ? Name : never }[keyof Body];

/** What the members that a creation may leave out become. */
type Defaults<Entity, Body, Placed extends string> = {
  readonly [Name in Exclude<OptionalIn<Body>, Placed> & keyof Entity]: Entity[Name];
};

/** Does not compile for a member that is copied nowhere. */
type OnlyMembersOf<Entity, Names> = [Exclude<Names, keyof Entity>] extends [never]
  ? unknown
  : { readonly neitherPlacedNorCopied: Exclude<Names, keyof Entity> };

interface Declaration<
  Schema extends z.ZodObject,
  Create extends z.ZodObject,
  Update extends z.ZodObject,
  Placed extends string,
  Archived extends z.ZodObject,
> extends Pick<EntityKind<z.output<Schema> & Entity>, "keysOf" | "namedIn" | "denormalizedKeys" | "form"> {
  readonly schema: Schema;
  readonly create: Create;
  readonly update: Update;
  /** Members of the bodies with rules of their own; every other member is copied. */
  readonly placed: readonly Placed[];
  readonly defaults: Defaults<z.output<Schema>, z.output<Create>, Placed>;
  /** The data of an archive's line. */
  readonly archived: Archived;
}

/** How entities of a kind follow from bodies. */
export interface KindRules<Entity extends object, Created, Updated, Server> {
  /** What {@link make} does, as data. */
  readonly recipe: Recipe;
  /**
   * An entity from the body of a creation, and the members that the server sets.
   * @param before what has the members that both leave out; undefined for a new entity, which has their defaults
   */
  make(body: Created, server: Server, before?: Entity): Entity;
  /** The entity with the copied members of an update; members that it leaves out stay, and so do placed ones. */
  apply(current: Entity, body: Updated): Entity;
}

/** Members that only sources set; null until then. */
type Unsaid = "observed";
const UNSAID: Readonly<Record<Unsaid, null>> = { observed: null };

/** The members that the server gives to a new entity. */
type Server<Schema extends z.ZodObject, Given extends string> = Omit<z.output<Schema>, Given | Unsaid> &
  Partial<Pick<z.output<Schema>, Unsaid & keyof z.output<Schema>>>;

/** A declared kind. */
export interface Kind<Name extends KindName, T extends Entity, Archived extends z.ZodObject> extends EntityKind<T> {
  readonly name: Name;
  readonly collection: PluralOf<Name>;
  readonly archived: Archived;
}

export function kind<
  const Name extends KindName,
  Schema extends z.ZodObject,
  Create extends z.ZodObject,
  Update extends z.ZodObject,
  const Placed extends string,
  Archived extends z.ZodObject,
>(
  name: Name,
  declaration: Declaration<Schema, Create, Update, Placed, Archived> &
    OnlyMembersOf<z.output<Schema>, Copied<Create, Update, Placed>>,
): Kind<Name, z.output<Schema> & Entity, Archived> &
  KindRules<
    z.output<Schema>,
    Pick<z.output<Create>, Exclude<Member<Create>, Placed>>,
    Pick<z.output<Update>, Exclude<Member<Update>, Placed>>,
    Server<Schema, Copied<Create, Update, Placed>>
  > {
  const { schema, create, update, placed, defaults, archived, keysOf, namedIn, denormalizedKeys, form } = declaration;
  const { plural, parent, mayBeOfAll, between, tagged, sighted } = KINDS[name];
  const isCopied = (name: string): boolean => !(placed as readonly string[]).includes(name);
  const updated = Object.keys(update.shape).filter(isCopied);
  const recipe: Recipe = {
    members: Object.keys(schema.shape),
    given: new Set(Object.keys(create.shape).filter(isCopied)),
    absent: { ...UNSAID, ...defaults },
  };

  return {
    name,
    collection: plural,
    networkOf: networkOf(name),
    mayBeOfAll,
    onHosts: parent === "Host" || between,
    between,
    tagged,
    sighted,
    archived,
    keysOf,
    namedIn,
    denormalizedKeys,
    form,
    clean: (entity) => schema.parse(entity) as z.output<Schema> & Entity,
    recipe,
    make: (body, server, before) => madeBy(recipe, body, server, before) as z.output<Schema>,
    apply: (current, body) => {
      const entity: Record<string, unknown> = { ...current };
      for (const name of updated) {
        const value = valueIn(body, name);
        if (value !== undefined) entity[name] = value;
      }
      return entity as z.output<Schema>;
    },
  };
}

/** A network's network is itself, so that the filters of scopes apply. */
function networkOf(name: KindName): ((entity: Entity) => string | null) | null {
  if (name === "Network") return ({ id }) => id;
  return KINDS[name].parent === null ? null : (entity) => (entity as Entity & { network_id: string | null }).network_id;
}
