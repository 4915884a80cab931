import { type AnyEndpoint, KIND_NAMES, KINDS, OPERATIONS, type Plan, PLAN_TAG } from "@nts/shared/contract";
import { z } from "zod";
import { pageOf, short } from "../results.rules.js";
import { tool } from "../tool.js";

const ACTIONS = { create: "create", change: "patch", delete: "delete" } as const;
/** Actions on hosts that are one machine, or two. */
const OF_HOSTS = { merge: "merge_hosts", split: "split_host" } as const;
type Action = keyof typeof ACTIONS | keyof typeof OF_HOSTS;

/** The names of the writable kinds, such as `host`. */
const WRITABLE = KIND_NAMES.map((name) => KINDS[name].singular).sort();
type Writable = (typeof WRITABLE)[number];

const OPERATION_BY_ID = new Map(OPERATIONS.map((operation) => [operation.operationId, operation]));

const change = {
  action: z
    .enum([...Object.keys(ACTIONS), ...Object.keys(OF_HOSTS)] as Action[])
    .describe("merge deletes another host that is the same machine; split gives a new host some interfaces."),
  kind: z.enum(WRITABLE),
  id: z.uuid().optional().describe("Of the entity to change or delete."),
  members: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      "Of the entity to create, or those that change, as in the HTTP API. A host may have interfaces, ports and services. " +
        "To merge, host_id of the other host; to split, interface_ids and name of the new one.",
    ),
};
type Change = z.infer<z.ZodObject<typeof change>>;

function operationOf(kind: Writable, action: Action): AnyEndpoint {
  const operation = OPERATION_BY_ID.get(
    action === "merge" || action === "split" ? OF_HOSTS[action] : `${ACTIONS[action]}_${kind}`,
  );
  if (operation === undefined) throw new Error(`no operation can ${action} a ${kind}`);
  return operation;
}

/** The operation and its input. */
function callFor({ action, kind, id, members }: Change): [AnyEndpoint, never] {
  const operation = operationOf(kind, action);
  const input = {
    ...(action !== "create" && { params: { id: id ?? "" } }),
    ...(action !== "delete" && { body: members ?? {} }),
  };
  return [operation, input as never];
}

/** The missing or wrong argument; null if there is none. */
function lackOf({ action, kind, id, members }: Change): string | null {
  if (action in OF_HOSTS && kind !== "host") return `${action} is only for hosts`;
  if (action !== "create" && id === undefined) return `${action} needs the id; call find`;
  return action !== "delete" && members === undefined ? `${action} needs members` : null;
}

const VALUE_CHARACTERS = 200;

/** A short summary of a plan with truncated values. */
function planLines({ changes }: Plan) {
  return changes.slice(0, 100).map(({ action, entity, id, name, fields }) => ({
    ...{ action, entity, id, name },
    fields: Object.entries(fields)
      .slice(0, 15)
      .map(([name, { before, after }]) => `${name}: ${valueOf(before)} → ${valueOf(after)}`),
  }));
}

function valueOf(value: unknown): string {
  return value === undefined ? "nothing" : (short(JSON.stringify(value), VALUE_CHARACTERS) ?? "");
}

export const planChange = tool({
  name: "plan_change",
  title: "Plan a change",
  description:
    "What a change would do, and an etag for it. Nothing is changed. Show the plan to the person before you apply it.",
  input: z.object(change),
  run: async (client, requested) => {
    const lack = lackOf(requested);
    if (lack !== null) return { data: { lack }, next: lack };
    const plan = await client.plan(...callFor(requested));
    const { items, next } = pageOf(planLines(plan), 0);
    const { action, cascades, impact, etag } = plan;
    const along = { deleted_with_it: cascades, ...(impact && { stops_with_it: impact }) };
    return {
      data: { action, changes: items, and_more: next !== null || plan.truncated, ...along, etag },
      next:
        action === "none"
          ? null
          : `after the person has agreed, call apply_change with the same arguments and this etag`,
    };
  },
});

/** Any other condition, above all `*`, would let through a change that nobody has seen. Assistants may drop the quotes. */
const OF_A_PLAN = new RegExp(`^(?:"${PLAN_TAG}[\\w-]{22}"|${PLAN_TAG}[\\w-]{22})$`);
const NOT_OF_A_PLAN = "not the etag of a plan; call plan_change, show its plan to the person, and pass its etag";

export const applyChange = tool({
  name: "apply_change",
  title: "Apply a planned change",
  description:
    "Does exactly what plan_change has shown, or fails if something has changed since. Only after the person has agreed.",
  input: z.object({
    ...change,
    etag: z.string().regex(OF_A_PLAN, NOT_OF_A_PLAN).describe("Of the plan."),
    comment: z.string().max(200).optional().describe("Why, for the journal."),
  }),
  writes: "destructive",
  run: async (client, { etag, comment, ...requested }) => {
    const lack = lackOf(requested);
    if (lack !== null) return { data: { lack }, next: lack };
    const [operation, input] = callFor(requested);
    const ifMatch = `"${etag.replaceAll('"', "")}"`;
    const conditions = { ifMatch, ...(comment !== undefined && comment !== "" && { comment }) };
    const done = await client.call(operation, { ...(input as object), ...conditions });
    const made = done as { id?: string } | null;
    return { data: { done: requested.action, kind: requested.kind, id: made?.id ?? requested.id ?? null }, next: null };
  },
});
