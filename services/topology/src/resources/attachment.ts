import { getHostAttachment, type HostRecord, type Link } from "@nts/shared/contract";
import { PAST } from "@nts/shared/contract/moments";
import { AppError } from "@nts/shared/errors";
import { putUnder } from "@nts/shared/groups";
import { mount, type Router } from "@nts/shared/http/mount";
import { respond } from "@nts/shared/http/respond";
import type { Scope } from "@nts/shared/http/tenancy";
import { attachmentsOf, type LinksAround } from "../map/attachment.js";
import { linkGraphs } from "../map/link-graphs.js";
import { pastSource } from "../map/past.js";
import type { MapSource } from "../map/read.js";
import type { Past } from "../past/past.js";
import { BY_ID, HOST_LINKS_INDEX } from "../storage/indexes.js";
import { STORED } from "../storage/entity-reader.js";
import type { Storage } from "../storage/storage.js";

/** Links read at once; those of a host are fewer. */
const MOST_LINKS = 10_000;

export function mountAttachment(router: Router, storage: Storage, past: Past): void {
  mount(router, getHostAttachment, async ({ work, scope, principal, params: { id }, query: { as_of: asOf } }) => {
    const around =
      asOf === undefined
        ? storedLinks(storage, scope)
        : await pastLinks(storage, past, { work, rights: principal.scope, asOf, networkId: undefined });
    const [host] = await around.hosts([id]);
    if (host === undefined) throw new AppError("not_found", { entity: storage.hosts.name });
    return respond.data({ attachments: await attachmentsOf(around, host) });
  });
}

function storedLinks({ links, hosts }: Pick<Storage, "links" | "hosts">, scope: Scope): LinksAround {
  return {
    linksAt: async (hostIds) => {
      const options = { projection: STORED, hint: HOST_LINKS_INDEX, limit: MOST_LINKS };
      const found = await links.select(scope, { host_id: { $in: [...hostIds] } }, options);
      return found.map((document) => links.storedIn(document, scope).entity);
    },
    hosts: async (ids) => {
      if (ids.length === 0) return [];
      const found = await hosts.select(scope, { _id: { $in: [...ids] } }, { projection: STORED, hint: BY_ID });
      return found.map((document) => hosts.storedIn(document, scope).entity);
    },
  };
}

async function pastLinks(storage: Storage, past: Past, moment: Parameters<typeof pastSource>[2]): Promise<LinksAround> {
  const source = await pastSource(storage, past, moment);
  return linkGraphs.run(() => linksOf(source), moment.rights.organizationId);
}

/** Those of a past state. @throws AppError `too_many_changes` */
async function linksOf({ all }: Pick<MapSource, "all">): Promise<LinksAround> {
  const byHost = new Map<string, Link[]>();
  const hosts = new Map<string, HostRecord>();
  let count = 0;
  const requireFew = (more: number): void => {
    count += more;
    if (count > PAST.entities) throw new AppError("too_many_changes", { limit: PAST.entities });
  };
  for await (const read of all("hosts")) {
    requireFew(read.length);
    for (const { entity } of read) hosts.set(entity.id, entity);
  }
  for await (const read of all("links")) {
    requireFew(read.length);
    for (const { entity } of read) for (const { host_id } of entity.ends) putUnder(byHost, host_id, entity);
  }
  return {
    linksAt: (ids) => Promise.resolve([...new Set(ids.flatMap((id) => byHost.get(id) ?? []))]),
    hosts: (ids) => Promise.resolve(ids.flatMap((id) => hosts.get(id) ?? [])),
  };
}
