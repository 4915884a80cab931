import type { Log } from "@nts/shared/log";
import { operatorName } from "@nts/shared/operator";
import type { JournalCollections } from "../journal/collections.js";
import type { SetAsideDocument } from "../journal/set-aside.js";

// What an operator does with changes that were set aside. The process that keeps the journal records them.

type Collections = Pick<JournalCollections, "setAside" | "tails">;

export interface JournalCommandParts {
  readonly collections: Collections;
  readonly log: Log;
}

/** A command that cannot be carried out; its message is printed. */
export class JournalProblem extends Error {
  override readonly name = "JournalProblem";
}

export const HELP = `Shows changes that could not be recorded in the journal, for operators.

  npm run admin -- journal                  how old the recorded position is, and what was set aside, one line each
  npm run admin -- journal show <id>        everything known about one, as JSON
  npm run admin -- journal retry [<id>]     try to record one of them, or all, within a few seconds
  npm run admin -- journal discard <id>     forget one: its changes will never be in the journal

A change is set aside if recording it fails again and again. Changes, streams, webhooks, diffs and reads of the past do not
contain it until it is recorded; the entity itself is stored and served as it is. It is tried again by itself once another
version of the service runs.

Settings (environment variables):
  DATA_DIR          data folder of the npm start whose database to use, default .local
  MONGODB_URL       the database, if it was not started by npm start
  MONGODB_DATABASE  its name, default topology
Without npm, as in the images: node dist/bundle/admin.js journal in services/topology, with the settings of the service.
`;

/** Runs `journal` with its arguments. @returns what to print @throws JournalProblem */
export async function runJournalCommand(
  { collections, log }: JournalCommandParts,
  args: readonly string[],
): Promise<string> {
  const [action = "list", id, ...more] = args;
  if (more.length > 0) throw new JournalProblem(`journal ${action} takes one id; see --help.`);
  if (action === "list" && id === undefined) return list(collections);
  if (action === "retry") return retry({ collections, log }, id);
  if (action !== "show" && action !== "discard")
    throw new JournalProblem(`Unknown command journal ${action}; see --help.`);
  if (id === undefined) throw new JournalProblem(`journal ${action} takes an id, as journal lists them.`);
  if (action === "show") return JSON.stringify(await existing(collections, id), null, 2);
  const { organization_id, kind, entity_id } = await existing(collections, id);
  await collections.setAside.deleteOne({ _id: id });
  log.info(
    { organization_id, kind, entity_id, operator: operatorName() },
    "an operator has discarded a change that was set aside",
  );
  return `${id} is forgotten.`;
}

async function list({ setAside, tails }: Collections): Promise<string> {
  const tail = await tails.findOne({ _id: "topology" });
  const told = tail?.told ?? null;
  const age = told === null ? "Nothing is recorded yet" : `Recorded up to ${new Date(told.t * 1_000).toISOString()}`;
  const found = await setAside.find().sort({ first_at: 1 }).toArray();
  if (found.length === 0) return `${age}; nothing is set aside.`;
  return [`${age}; set aside:`, ...found.map(lineOf)].join("\n");
}

function lineOf({ _id, organization_id, events, first_at, version, error }: SetAsideDocument): string {
  const counted = `${events} change${events === 1 ? "" : "s"}`;
  return [_id, organization_id ?? "-", counted, first_at.toISOString(), version, error.split("\n", 1)[0]].join("\t");
}

async function retry({ collections, log }: JournalCommandParts, id: string | undefined): Promise<string> {
  const { setAside } = collections;
  if (id !== undefined) await existing(collections, id);
  const { matchedCount } = await setAside.updateMany(id === undefined ? {} : { _id: id }, { $set: { retry: true } });
  if (matchedCount === 0) return "Nothing is set aside.";
  log.info(
    { id: id ?? "all", count: matchedCount, operator: operatorName() },
    "an operator has requested another attempt to record changes that were set aside",
  );
  return `${matchedCount} will be tried within a few seconds; journal shows what is left.`;
}

async function existing({ setAside }: Pick<Collections, "setAside">, id: string): Promise<SetAsideDocument> {
  const found = await setAside.findOne({ _id: id });
  if (found === null) throw new JournalProblem(`${id} is not set aside.`);
  return found;
}
