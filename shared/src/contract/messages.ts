import { z } from "zod";

/** A notice on the bus: a hint that something changed. The record is in MongoDB; a lost notice costs time only. */
export interface Message<Payload extends z.ZodType = z.ZodType> {
  readonly subject: string;
  readonly payload: Payload;
}

function message<Payload extends z.ZodType>(subject: string, payload: Payload): Message<Payload> {
  return { subject, payload };
}

/** Identity committed a change of rights: everything known of the subjects is void. Ids only, never a hash. */
export const keyChanged = message(
  "identity.key.changed",
  z.object({ number: z.number(), subjects: z.array(z.string()) }),
);

/** A gateway has applied every key change up to `number`. */
export const keyApplied = message("identity.key.applied", z.object({ gateway: z.string(), number: z.number() }));

/** Topology deleted a network with everything in it. */
export const networkDeleted = message(
  "topology.network.deleted",
  z.object({ organization_id: z.string(), network_id: z.string() }),
);

/** Topology deleted a managed tag; identity takes it off API keys. */
export const tagDeleted = message(
  "topology.tag.deleted",
  z.object({ organization_id: z.string(), tag_id: z.string() }),
);

/** Topology has committed something that identity is to write into the audit log, and asks for. */
export const auditNoted = message("topology.audit.noted", z.object({ organization_id: z.string() }));

/** The journal of an organization has new entries: of these networks, or of any when there are too many to be listed. */
export const changesAppended = message(
  "topology.changes.appended",
  z.object({ organization_id: z.string(), network_ids: z.array(z.string().nullable()).nullable() }),
);

/** What each process may say and hear on the bus, and nothing else: its user there has just these rights. */
export const BUS_RIGHTS = {
  gateway: { publish: [keyApplied.subject], subscribe: [keyChanged.subject] },
  identity: {
    publish: [keyChanged.subject],
    subscribe: [keyApplied.subject, networkDeleted.subject, tagDeleted.subject, auditNoted.subject],
  },
  topology: {
    publish: [networkDeleted.subject, tagDeleted.subject, auditNoted.subject, changesAppended.subject],
    subscribe: [changesAppended.subject],
  },
} as const;
