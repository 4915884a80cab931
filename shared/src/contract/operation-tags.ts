import { KIND_NAMES, type KindName, KINDS, type PluralOf, pluralOf } from "./kinds.js";

// The groups of operations in the documentation: one of each kind, and others.

const OTHERS = {
  System: "Whether the system is there, and in which version.",
  Authentication: "Accounts: signing in and out, second factors, sessions, providers, mail, and signing in programs.",
  Users: "The people and service accounts of an organization, their levels and networks.",
  Assistants: "Letting AI assistants in by OAuth, as the console does.",
  Invites: "Invitations to an organization.",
  Organizations: "The organization itself, and the keys of all its users.",
  "User API keys": "The keys of a user, with which programs call the API.",
  Bindings: "At which ports and interfaces services listen, one by one; services are written with them.",
  Shares: "Links with a secret that show a view to people without an account.",
  "Service definitions": "The known kinds of services.",
  Topology: "The map as a graph.",
  Changes: "The history: lists, streams, differences between two times, and taking changes back.",
  Webhooks: "Addresses that are called with what has changed.",
  Audit: "Who signed in, and who changed users, keys and settings.",
  Imports: "Scans and other files that become inventory, their jobs, and what imports no longer find.",
  Collectors: "Programs that look around in a network, and report what they find.",
  Exports: "The inventory as files for other tools, and its numbers.",
  Internal: "What the processes of the system ask each other, which is no part of the API.",
} as const;

type KindTag = Capitalize<PluralOf<KindName>>;
export type OperationTag = KindTag | keyof typeof OTHERS;

/** The group of a kind, such as `Hosts`. */
export function tagOf(name: KindName): KindTag {
  return pluralOf(name).replace(/^./, (first) => first.toUpperCase()) as KindTag;
}

/** What each is about. */
export const OPERATION_TAGS = {
  ...OTHERS,
  ...Object.fromEntries(KIND_NAMES.map((name) => [tagOf(name), KINDS[name].about])),
} as Readonly<Record<OperationTag, string>>;
