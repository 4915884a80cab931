import { z } from "zod";

/** A notice on the bus: a hint that something changed. The record is in MongoDB; a lost notice only causes a delay. */
export interface Message<Payload extends z.ZodType = z.ZodType> {
  readonly subject: string;
  readonly payload: Payload;
}

function message<Payload extends z.ZodType>(subject: string, payload: Payload): Message<Payload> {
  return { subject, payload };
}

/** Identity committed a change of rights: cached data of the subjects is invalid. Ids only, never a hash. */
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

/** Topology deleted a managed tag; identity removes it from API keys. */
export const tagDeleted = message(
  "topology.tag.deleted",
  z.object({ organization_id: z.string(), tag_id: z.string() }),
);

/** Topology deleted a view; identity ends its shares. */
export const viewDeleted = message(
  "topology.view.deleted",
  z.object({ organization_id: z.string(), view_id: z.string() }),
);

/** Topology committed an audit note, which identity pulls and writes to the audit log. */
export const auditNoted = message("topology.audit.noted", z.object({ organization_id: z.string() }));

/** The journal of an organization has new entries: in these networks, or null if there are too many to list. */
export const changesAppended = message(
  "topology.changes.appended",
  z.object({ organization_id: z.string(), network_ids: z.array(z.string().nullable()).nullable() }),
);

/** Subjects that each process may publish and subscribe to; its NATS user has exactly these permissions. */
export const BUS_RIGHTS = {
  gateway: { publish: [keyApplied.subject], subscribe: [keyChanged.subject] },
  identity: {
    publish: [keyChanged.subject],
    subscribe: [
      keyApplied.subject,
      networkDeleted.subject,
      tagDeleted.subject,
      viewDeleted.subject,
      auditNoted.subject,
    ],
  },
  topology: {
    publish: [
      networkDeleted.subject,
      tagDeleted.subject,
      viewDeleted.subject,
      auditNoted.subject,
      changesAppended.subject,
    ],
    subscribe: [changesAppended.subject],
  },
} as const;
