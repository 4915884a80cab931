import { type Endpoint, KIND_NAMES, type KindName, KINDS, OPERATIONS } from "@nts/shared/contract";
import { z } from "zod";
import { briefSchema, type Json } from "./brief-schema.js";

// What assistants can plan: a schema for each kind, made from the bodies of the contract.

const ACTIONS = ["create", "change", "delete"] as const;
/** Hosts that are one machine, or two. */
const OF_HOSTS = ["merge", "split"] as const;

/** Levels of members that are named: of an entity, and of parts in it. Pictures of the map are seldom made by assistants. */
const levelsOf = (name: KindName): number => (name === "View" ? 1 : 2);

const OPERATION_BY_ID = new Map(OPERATIONS.map((operation) => [operation.operationId, operation]));

/** The operation with an id. @throws Error if there is none */
export function operationCalled(id: string): Endpoint {
  const operation = OPERATION_BY_ID.get(id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  return operation;
}

function ofKind(name: KindName) {
  const { singular } = KINDS[name];
  return z.object({
    kind: z.literal(singular),
    action: z.enum(name === "Host" ? [...ACTIONS, ...OF_HOSTS] : ACTIONS),
    id: z.string().max(36).optional(),
    members: z.looseObject({}).meta(membersOf(name)).optional(),
  });
}

/** All changes of a request, such as an import. */
const ofRequest = z.object({
  kind: z.literal("request"),
  action: z.literal("undo"),
  id: z.string().min(1).max(128).describe("`request` of what_changed."),
});

/** A change, by the kind of what it changes. */
export const PlannedChange = z
  .discriminatedUnion("kind", [ofRequest, ...KIND_NAMES.map(ofKind)])
  .describe(
    "`id` of what to change, delete, merge into or split. `members` of what to create, or those that change: null clears, a list replaces.",
  );
export type PlannedChange = z.infer<typeof PlannedChange>;

/** Members that a change may have, by kind. */
const MEMBERS = new Map(
  KIND_NAMES.map((name) => [KINDS[name].singular as string, Object.keys(membersOf(name)["properties"] as Json)]),
);

/** The members of a change that there are not: the API ignores them, and nobody would notice. */
export function unknownMembers(change: PlannedChange): { readonly unknown: string[]; readonly known: string[] } {
  const known = MEMBERS.get(change.kind) ?? [];
  const given = "members" in change ? Object.keys(change.members ?? {}) : [];
  return { unknown: given.filter((name) => !known.includes(name)), known };
}

/** The members of a kind as JSON Schema. */
function membersOf(name: KindName): Json {
  const body = operationCalled(`create_${KINDS[name].singular}`).body ?? z.object({});
  const { properties, required = [] } = briefSchema(body, { side: "input", levels: levelsOf(name), described: false });
  const needed = (required as string[]).join(", ");
  if (name !== "Host") return { properties, description: `To create: ${needed}.` };
  const more = { host_id: { type: "string" }, interface_ids: { type: "array", items: { type: "string" } } };
  return {
    properties: { ...(properties as Json), ...more },
    description: `To create: ${needed}. To merge: host_id of the other host. To split: interface_ids, and name of the new one.`,
  };
}
