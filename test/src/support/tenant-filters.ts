import type { CommandStartedEvent } from "mongodb";

// All data of topology can be sharded by organization: every command contains the organization.

/**
 * Collections of all organizations: locks, pending deletions, the key of cursors, the position of the journal, and what it
 * has set aside.
 */
export const GLOBAL_COLLECTIONS = new Set([
  "locks",
  "deletions",
  "journal_secrets",
  "journal_tail",
  "journal_set_aside",
]);

/** What identity fetches for all organizations. */
const GLOBALLY_READ_COLLECTIONS = new Set(["audit_notes"]);

type Part = Readonly<Record<string, unknown>>;

/** The parts of a command that must contain the organization; none for commands without documents of organizations. */
function partsOf(commandName: string, command: Part): readonly Part[] {
  switch (commandName) {
    case "find":
      return [command["filter"] as Part];
    case "count":
    case "distinct":
    case "findAndModify":
      return [command["query"] as Part];
    case "aggregate":
      return [((command["pipeline"] as readonly Part[])[0]?.["$match"] ?? {}) as Part];
    case "insert":
      return command["documents"] as readonly Part[];
    case "update":
      return (command["updates"] as readonly { q: Part }[]).map(({ q }) => q);
    case "delete":
      return (command["deletes"] as readonly { q: Part }[]).map(({ q }) => q);
    default:
      return [];
  }
}

function namesOrganization(part: Part): boolean {
  if ("organization_id" in part) return true;
  const all = part["$and"];
  return Array.isArray(all) && all.some(namesOrganization);
}

/** Describes a command with a part that lacks the organization; null for any other. */
export function withoutOrganization({ commandName, command }: CommandStartedEvent): string | null {
  const collection: unknown = command[commandName];
  if (typeof collection !== "string" || GLOBAL_COLLECTIONS.has(collection)) return null;
  if (commandName === "find" && GLOBALLY_READ_COLLECTIONS.has(collection)) return null;
  const wrong = partsOf(commandName, command).find((part) => !namesOrganization(part));
  return wrong === undefined ? null : `${commandName} of ${collection}: ${JSON.stringify(wrong).slice(0, 300)}`;
}
