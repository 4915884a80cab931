import {
  type Change,
  CHANGE_ACTIONS,
  ChangedEntity,
  DEEPEST_IMPACT,
  getHostImpact,
  getServiceImpact,
  IMPACT_DIRECTIONS,
  listChanges,
  reportCertificates,
  reportDuplicates,
  reportGone,
} from "@nts/shared/contract";
import { putUnder } from "@nts/shared/groups";
import { z } from "zod";
import { fitting, type Following, nothingFound, pageOf, short } from "../results.rules.js";
import { Refusal, tool } from "../tool.js";
import { count, from, inNetwork, moment, network, portText, text, textOrNull, timeZone, understood } from "./parts.js";

const DAY_MS = 86_400_000;
/** Of reports of certificates. */
const MOST_DAYS = 3_650;

/** Changes that are read to list them, and to sum them up by request. */
const LISTED = 40;
const SUMMED_UP = 200;

const ChangeLine = z.looseObject({
  ...{ at: text, action: text, entity: text, id: text, name: text, fields: z.array(text), by: textOrNull },
  ...{ comment: textOrNull, request: textOrNull },
});
const RequestLine = z.object({
  ...{ request: textOrNull, at: text, by: textOrNull, comment: textOrNull },
  ...{ changes: z.record(z.string(), count), names: z.array(text), sources: z.array(text) },
});

export const whatChanged = tool({
  name: "what_changed",
  title: "What changed",
  description:
    "Changes of the inventory, the newest first: what, when, by whom, and why. What is new since a time is `created`; what scans no " +
    "longer find is `missed`, and `returned` when it is back. With `by_request`, one line for each import or other write, whose " +
    "`request` can be undone with plan_change.",
  input: z.object({
    since: moment("Only at this time or later"),
    until: moment("Only before this time"),
    time_zone: timeZone,
    action: z.enum(CHANGE_ACTIONS).optional().describe("Only these."),
    entity: ChangedEntity.optional().describe("Only entities of this kind."),
    network_id: network,
    host_id: z.string().max(36).optional(),
    by_request: z.boolean().default(false),
    after: z.string().max(64).optional().describe("Where to continue, as given in the previous result."),
  }),
  output: z.object({
    ...{ since: textOrNull, until: textOrNull },
    ...{ changes: z.array(ChangeLine).optional(), requests: z.array(RequestLine).optional() },
  }),
  run: async (client, { since, until, time_zone, network_id, by_request, ...filters }) => {
    const start = understood(since, time_zone, "start");
    const end = understood(until, time_zone, "end");
    const { data, next } = await client.changes(listChanges, {
      query: {
        ...{ ...filters, ...inNetwork(network_id), order_direction: "desc", limit: by_request ? SUMMED_UP : LISTED },
        ...(start !== null && { since: start.at.toISOString() }),
        ...(end !== null && { until: end.at.toISOString() }),
      },
    });
    const { rows, cursor } = by_request ? requestsOf(data, next) : changesOf(data, next);
    const advice = "Try an earlier `since`, fewer filters, or all networks.";
    const more: Following = cursor === null ? null : `call what_changed with the same arguments and after=${cursor}`;
    return {
      data: {
        ...{ since: start?.text ?? null, until: end?.text ?? null },
        ...rows,
      },
      next: data.length === 0 && cursor === null ? nothingFound(advice) : more,
    };
  },
});

interface ChangeRows {
  readonly rows: { changes?: z.infer<typeof ChangeLine>[]; requests?: z.infer<typeof RequestLine>[] };
  /** To continue from; null at the end. */
  readonly cursor: string | null;
}

function changesOf(data: readonly Change[], next: string | null): ChangeRows {
  const lines = data.map(({ at, action, entity, entity_id, name, fields, actor, comment, request_id }) => ({
    ...{ at, action, entity, id: entity_id, name: short(name, 80), fields: fields.slice(0, 10) },
    ...{ by: actor?.email ?? null, comment: short(comment, 100), request: request_id },
  }));
  const kept = fitting(lines);
  const cursor = kept < lines.length ? (data[kept - 1]?.cursor ?? null) : next;
  return { rows: { changes: lines.slice(0, kept) }, cursor };
}

/** The last one read may have more changes, which the next page begins with. */
function requestsOf(data: readonly Change[], next: string | null): ChangeRows {
  const byRequest = new Map<string | null, Change[]>();
  for (const change of data) putUnder(byRequest, change.request_id, change);
  const groups = [...byRequest.values()];
  const lines = groups.map(requestLine);
  const kept = fitting(lines);
  const cursor = kept < lines.length ? (groups[kept - 1]?.at(-1)?.cursor ?? null) : next;
  return { rows: { requests: lines.slice(0, kept) }, cursor };
}

function requestLine(changes: readonly Change[]): z.infer<typeof RequestLine> {
  const [newest] = changes;
  const counts = new Map<string, number>();
  for (const { action, entity } of changes) {
    const what = `${entity} ${action}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return {
    ...{ request: newest?.request_id ?? null, at: newest?.at ?? "", by: newest?.actor?.email ?? null },
    ...{ comment: short(newest?.comment ?? null, 100), changes: Object.fromEntries(counts) },
    names: changes.slice(0, 3).map(({ name }) => short(name, 60)),
    sources: [...new Set(changes.flatMap(({ after }) => sourceOf(after)))].slice(0, 3),
  };
}

/** How an entity came to be, such as `Discovery` for one that was imported. */
function sourceOf(after: Change["after"]): string[] {
  const source = after?.["source"];
  if (typeof source !== "object" || source === null || !("type" in source)) return [];
  return typeof source.type === "string" ? [short(source.type, 40)] : [];
}

const GoneLine = z.looseObject({ entity: text, id: text, name: text, host: text, missed_since: text });

export const whatIsGone = tool({
  name: "what_is_gone",
  title: "Missing entities",
  description: "Hosts, addresses, ports and services that scans have not found for some days.",
  input: z.object({ days: z.int().min(0).max(MOST_DAYS).default(21), network_id: network, from }),
  output: z.object({ counts: z.record(z.string(), count), gone: z.array(GoneLine) }),
  run: async (client, { days, network_id, from: offset }) => {
    const { counts, gone } = await client.call(reportGone, { query: { days, ...inNetwork(network_id) } });
    const rows = gone.slice(offset).map(({ entity, id, name, host_name, missed_since }) => ({
      ...{ entity, id, name: short(name, 80), host: short(host_name, 60), missed_since },
    }));
    const { items, next } = pageOf(rows, offset);
    const nothing = gone.length === 0 ? nothingFound("Try fewer days, or all networks.") : null;
    return { data: { counts, gone: items }, next: sameFrom("what_is_gone", next) ?? nothing };
  },
});

/** How to continue a list; null at its end. */
function sameFrom(name: string, next: number | null): string | null {
  return next === null ? null : `call ${name} with the same arguments and from=${next}`;
}

const ReachedLine = z.looseObject({ kind: text, id: text, name: text, distance: count, path: z.array(text) });

export const whatDependsOn = tool({
  name: "what_depends_on",
  title: "What depends on something",
  description:
    "What stops if a host or service stops, nearest first, or what it needs: by dependencies, what runs on what, and links, by which a " +
    "switch cuts off what hangs on it alone. `path` has the ids that lead there from it.",
  input: z.object({
    kind: z.enum(["host", "service"]),
    id: z.string().min(1).max(36).describe("As given by find or describe_host."),
    direction: z.enum(IMPACT_DIRECTIONS).default("dependents"),
    depth: z.int().min(1).max(DEEPEST_IMPACT).default(DEEPEST_IMPACT),
    from,
  }),
  output: z.object({ counts: z.record(z.string(), count), complete: z.boolean(), reached: z.array(ReachedLine) }),
  run: async (client, { kind, id, from: offset, ...query }) => {
    const operation = kind === "host" ? getHostImpact : getServiceImpact;
    const impact = await client.call(operation, { params: { id }, query: { ...query, limit: 1_000 } });
    const { counts, complete, reached } = impact;
    const rows = reached.slice(offset).map(({ dependency_id: dependency, host_id, host_name, name, ...one }) => ({
      ...{ ...one, name: short(name, 80) },
      ...(one.kind !== "host" && { host_id, host: short(host_name, 60) }),
      ...(dependency !== null && { dependency }),
    }));
    const { items, next } = pageOf(rows, offset);
    const advice =
      "No dependency of it is known. They come from scans of sockets, from compose and Kubernetes files, or from people; links from walks of switches.";
    const nothing = reached.length === 0 ? nothingFound(advice) : null;
    return { data: { counts, complete, reached: items }, next: sameFrom("what_depends_on", next) ?? nothing };
  },
});

const CertificateLine = z.object({
  ...{ host: text, host_id: text, port: text, id: text, ends: textOrNull, subject: text, issuer: text },
});

export const endingCertificates = tool({
  name: "ending_certificates",
  title: "Ending certificates",
  description: "Ports whose TLS certificate has ended, or ends by a time, the soonest first.",
  input: z.object({
    until: moment("Those that end before this time; by default in 30 days"),
    time_zone: timeZone,
    network_id: network,
    from,
  }),
  output: z.object({ until: text, count, certificates: z.array(CertificateLine) }),
  run: async (client, { until = "in 30 days", time_zone, network_id, from: offset }) => {
    const now = new Date();
    const end = understood(until, time_zone, "end", now);
    if (end === null) throw new Refusal("`until` is empty.", "leave it out, or give a time.");
    const days = Math.ceil((end.at.getTime() - now.getTime()) / DAY_MS);
    const query = { days: Math.min(Math.max(days, 0), MOST_DAYS), ...inNetwork(network_id) };
    const { certificates } = await client.call(reportCertificates, { query });
    const ending = certificates.filter(({ certificate }) => Date.parse(certificate.not_after ?? "") < end.at.getTime());
    const rows = ending.slice(offset).map(({ port_id, host_id, host_name, certificate, ...port }) => ({
      ...{ host: short(host_name, 60), host_id, port: portText(port), id: port_id },
      ...{ ends: certificate.not_after, subject: short(certificate.subject, 100) },
      issuer: short(certificate.issuer, 100),
    }));
    const { items, next } = pageOf(rows, offset);
    const advice = "No known certificate ends by then. They are known from scans; try a later time, or all networks.";
    const nothing = ending.length === 0 ? nothingFound(advice) : null;
    return {
      data: { until: end.text, count: ending.length, certificates: items },
      next: sameFrom("ending_certificates", next) ?? nothing,
    };
  },
});

const AlikeHost = z.object({ id: text, name: text, addresses: z.array(text) });
const Alike = z.object({ same: text, value: text, hosts: z.array(AlikeHost) });

/** Hosts that are named of those that are alike. */
const ALIKE_HOSTS = 5;

export const findDuplicates = tool({
  name: "find_duplicates",
  title: "Find duplicate hosts",
  description:
    "Hosts of one network that may be the same machine: they have the same serial number, MAC address, IP address, DUID, machine id, host name or name. A person decides; " +
    "plan_change merges them.",
  input: z.object({ network_id: network, from }),
  output: z.object({ compared: count, alike: z.array(Alike) }),
  run: async (client, { network_id, from: offset }) => {
    const { compared, complete, duplicates } = await client.call(reportDuplicates, { query: inNetwork(network_id) });
    const rows = duplicates.slice(offset).map(({ same, value, hosts }) => ({
      ...{ same, value: short(value, 100) },
      hosts: hosts.slice(0, ALIKE_HOSTS).map(({ id, name, addresses }) => ({ id, name: short(name, 60), addresses })),
    }));
    const { items, next } = pageOf(rows, offset);
    const others = { sentence: "There are more than these: merge some of them, or give a network_id." };
    const end = duplicates.length === 0 ? nothingFound("No two hosts are alike.") : complete ? null : others;
    return { data: { compared, alike: items }, next: sameFrom("find_duplicates", next) ?? end };
  },
});
