import { type Endpoint, type Plan, PLAN_TAG, revertChanges } from "@nts/shared/contract";
import { z } from "zod";
import { operationCalled, PlannedChange, unknownMembers } from "../planned-changes.js";
import { pageOf, short } from "../results.rules.js";
import { Refusal, tool } from "../tool.js";
import { count, text, textOrNull } from "./parts.js";

const VERBS = { create: "create", change: "patch", delete: "delete" } as const;

const change = PlannedChange;
/** Unknown members that are named. */
const MOST_NAMED = 10;

/** The operation and its input. @throws Refusal if something is missing */
function callFor(requested: PlannedChange): [Endpoint, never] {
  if (requested.kind === "request") return [revertChanges, { body: { request_id: requested.id } } as never];
  const { action, kind, id, members } = requested;
  if (action !== "create" && id === undefined)
    throw new Refusal(`To ${action} a ${kind}, its id is needed.`, "call find");
  if (action !== "delete" && members === undefined)
    throw new Refusal(`To ${action} a ${kind}, its members are needed.`, "call plan_change with members");
  const { unknown, known } = unknownMembers(requested);
  if (unknown.length > 0)
    throw new Refusal(
      `A ${kind} has no ${unknown
        .slice(0, MOST_NAMED)
        .map((member) => `\`${short(member, 50)}\``)
        .join(", ")}.`,
      `its members are ${known.join(", ")}.`,
    );
  const name = action === "merge" ? "merge_hosts" : action === "split" ? "split_host" : `${VERBS[action]}_${kind}`;
  const input = {
    ...(action !== "create" && { params: { id: id ?? "" } }),
    ...(action !== "delete" && { body: members ?? {} }),
  };
  return [operationCalled(name), input as never];
}

const VALUE_CHARACTERS = 200;

/** A short summary of a plan with truncated values. */
function planLines({ changes }: Plan) {
  return changes.slice(0, 100).map(({ action, entity, id, name, fields }) => ({
    ...{ action, entity, id, name: short(name, 100) },
    fields: Object.entries(fields)
      .slice(0, 15)
      .map(([member, { before, after }]) => `${member}: ${valueOf(before)} → ${valueOf(after)}`),
  }));
}

function valueOf(value: unknown): string {
  return value === undefined ? "nothing" : (short(JSON.stringify(value) as string | null, VALUE_CHARACTERS) ?? "");
}

export const planChange = tool({
  name: "plan_change",
  title: "Plan a change",
  description:
    "What a change would do, and an etag for it. Nothing is changed. Show the plan to the person before you apply it. A service is bound to " +
    "an existing port by the port's id, which describe_host shows.",
  input: z.object({ change }),
  output: z.object({
    action: text,
    changes: z.array(z.looseObject({ action: text, entity: text, id: text, fields: z.array(text) })),
    and_more: z.boolean(),
    deleted_with_it: z.record(z.string(), count),
    etag: text,
  }),
  run: async (client, { change: requested }) => {
    const plan = await client.plan(...callFor(requested));
    const { items, next } = pageOf(planLines(plan), 0);
    const { action, cascades, impact, etag } = plan;
    const along = { deleted_with_it: cascades, ...(impact && { stops_with_it: impact }) };
    return {
      data: { action, changes: items, and_more: next !== null || plan.truncated, ...along, etag },
      next:
        action === "none"
          ? { sentence: "It changes nothing: everything is as it should be already." }
          : { sentence: "After the person has agreed, call apply_change with the same `change` and this etag." },
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
    // The schema is long, and was given for plan_change.
    change: z.looseObject({ kind: text, action: text }).describe("As given to plan_change."),
    etag: z.string().regex(OF_A_PLAN, NOT_OF_A_PLAN).describe("Of the plan."),
    comment: z.string().max(200).optional().describe("Why, for the journal."),
  }),
  output: z.object({ done: text, kind: text, id: textOrNull }),
  writes: "destructive",
  run: async (client, { change: given, etag, comment }) => {
    const requested = change.safeParse(given);
    if (!requested.success)
      throw new Refusal("`change` is not one that was planned.", "pass it as given to plan_change.");
    const { action, kind, id } = requested.data;
    const [operation, input] = callFor(requested.data);
    const ifMatch = `"${etag.replaceAll('"', "")}"`;
    const conditions = { ifMatch, ...(comment !== undefined && comment !== "" && { comment }) };
    const made = (await client.call(operation, { ...(input as object), ...conditions })) as { id?: string } | null;
    return { data: { done: action, kind, id: made?.id ?? id ?? null }, next: null };
  },
});
