import { listNews, MOST_NEWS, type News, type NewsEntry } from "@nts/shared/contract/internal";
import type { NewsEvent } from "@nts/shared/contract/notifications";
import type { BodyOf } from "@nts/shared/contract/endpoint";
import { mountAny, type Router } from "@nts/shared/http/mount";
import { respond } from "@nts/shared/http/respond";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Range } from "@nts/shared/numbered";
import { hostOf, type JournalDocument } from "../journal/entries.rules.js";
import type { ChangeFilter } from "../journal/matching.rules.js";
import type { JournalReader, Reached } from "../journal/read.js";
import { BY_ID } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";
import { isToldOf, LONGEST_THRESHOLD_DAYS } from "../values/certificate-moments.rules.js";
import { certificatesOf } from "./reports.js";

// What identity mails to a user: a few entries of the journal, with the rights of the moment, and the present names.

/** Entries read per event. */
const MOST_READ = 2_000;
const DAY_MS = 86_400_000;

const ENTRIES: Readonly<Record<Exclude<NewsEvent, "certificate_ending">, ChangeFilter>> = {
  host_created: { entity: "Host", action: "created" },
  host_missed: { entity: "Host", action: "missed" },
  host_returned: { entity: "Host", action: "returned" },
  service_missed: { entity: "Service", action: "missed" },
};

type Asked = BodyOf<typeof listNews>;

export function mountNews(router: Router, storage: Storage, reader: JournalReader): void {
  mountAny(router, listNews, async ({ params: { id }, body }) => {
    const { networks, events, after, until } = body;
    const scope = await storage.deletions.visible({ organizationId: id, networks });
    const cursors = await reader.cursors();
    const { last, goneForCaller } = await reader.ends(scope);
    const end = until === null ? last : Math.min(last, cursors.read(id, until));
    const start = after === null ? end : Math.max(goneForCaller, cursors.read(id, after));
    const news: News = { next: cursors.of(id, end), entries: [], more: [], certificates: [] };
    for (const event of events) {
      if (event === "certificate_ending") continue;
      const found = await entriesOf(event, { first: start + 1, last: end }, { storage, reader, scope, body });
      news.entries.push(...found.slice(0, MOST_NEWS));
      if (found.length > MOST_NEWS) news.more.push(event);
    }
    if (body.certificates !== null) {
      const found = await endingOf(storage, scope, body);
      news.certificates.push(...found.slice(0, MOST_NEWS));
      if (found.length > MOST_NEWS) news.more.push("certificate_ending");
    }
    return respond.data(news);
  });
}

interface Reading {
  readonly storage: Storage;
  readonly reader: JournalReader;
  readonly scope: Scope;
  readonly body: Asked;
}

/** The first entries of one event, and one more than are told if there are more. */
async function entriesOf(
  event: keyof typeof ENTRIES,
  range: Range,
  { storage, reader, scope, body }: Reading,
): Promise<NewsEntry[]> {
  const reached: Reached = { n: null, isEnd: false };
  const selection = { filter: ENTRIES[event], range, direction: "asc", limit: MOST_READ } as const;
  const told: NewsEntry[] = [];
  if (range.last < range.first) return told;
  for await (const batch of reader.entries(scope, selection, reached)) {
    const hosts = await hostsOf(storage, scope, body, batch);
    for (const entry of batch) {
      const { at, name } = entry;
      const host = hosts.get(hostOf(entry) ?? "");
      if (host === undefined) continue;
      told.push({ event, at: at.toISOString(), ...host, name: event === "service_missed" ? name : null });
      if (told.length > MOST_NEWS) return told;
    }
  }
  return told;
}

type Named = Pick<NewsEntry, "host_id" | "host_name" | "network_name">;

/** The hosts of some rows that still exist, by id; with `only_unknown`, those that nobody knows. */
async function hostsOf(
  { hosts, networks }: Storage,
  scope: Scope,
  { only_unknown }: Asked,
  rows: readonly Pick<JournalDocument, "host_id">[],
): Promise<Map<string, Named>> {
  const ids = [...new Set(rows.flatMap(({ host_id }) => host_id ?? []))];
  const found: { id: string; name: string; network_id: string }[] = [];
  const those = { filter: { ...hosts.within(scope), _id: { $in: ids } }, hint: BY_ID };
  for await (const batch of hosts.readStored(scope, those))
    for (const { entity } of batch) if (!only_unknown || !entity.is_known) found.push(entity);
  const named = { _id: { $in: [...new Set(found.map(({ network_id }) => network_id))] } };
  const of = await networks.select(scope, named, { projection: { name: 1 } });
  const names = new Map(of.map(({ _id, name }) => [_id, String(name)]));
  return new Map(
    found.map(({ id, name, network_id }) => [
      id,
      { host_id: id, host_name: name, network_name: names.get(network_id) ?? "" },
    ]),
  );
}

/** Each certificate once, soonest first, of the first that the report lists. */
async function endingOf(storage: Storage, scope: Scope, body: Asked): Promise<News["certificates"]> {
  const span = { from: Date.parse(body.certificates?.from ?? ""), to: Date.parse(body.certificates?.to ?? "") };
  const { rows } = await certificatesOf(storage, scope, Date.now() + LONGEST_THRESHOLD_DAYS * DAY_MS);
  const byCertificate = new Map<string, (typeof rows)[number][]>();
  for (const row of rows) {
    const id = row.certificate.sha256 ?? row.port_id;
    byCertificate.set(id, [...(byCertificate.get(id) ?? []), row]);
  }
  const told = [...byCertificate.values()].filter((places) => {
    const since = Math.min(...places.map(({ certificate }) => Date.parse(certificate.since)));
    return isToldOf({ notAfter: Date.parse(places[0]?.certificate.not_after ?? ""), since }, span);
  });
  const hosts = await hostsOf(storage, scope, body, told.flat());
  return told.flatMap((all) => {
    const places = all.filter(({ host_id }) => hosts.has(host_id));
    const [first] = places;
    const host = hosts.get(first?.host_id ?? "");
    if (first === undefined || host === undefined) return [];
    const { number, protocol, certificate } = first;
    const { subject, names, not_after } = certificate;
    const shown = names[0] ?? subject;
    return [
      {
        ...{ ...host, port: `${number}/${protocol.toLowerCase()}`, subject: shown },
        ...{ not_after: not_after ?? "", places: places.length },
      },
    ];
  });
}
