import { z } from "zod";
import {
  HostCreate,
  Id,
  InterfaceCreate,
  IpAddress,
  PortInput,
  ServiceCreate,
  SubnetCreate,
  TagInput,
  NetworkCreate,
  text,
} from "@nts/shared/contract";
import { ARCHIVE_MARK, ARCHIVE_VERSION, type Archived } from "@nts/shared/contract/archives";

// Schemas of archive lines: those of the creation bodies, without members that the server determines.

const madeAt = z.iso.datetime({ offset: true }).overwrite((time) => new Date(time).toISOString());
const kept = { id: Id, created_at: madeAt };
const source = z.object({ type: text(1, 50) });
const position = z.int32().min(0);

const FORMS = {
  Tag: TagInput.omit({ organization_id: true }).extend(kept),
  Network: NetworkCreate.omit({ organization_id: true }).extend(kept),
  Subnet: SubnetCreate.extend({ ...kept, source }),
  Host: HostCreate.omit({ interfaces: true, ports: true, services: true }).extend({ ...kept, source }),
  Interface: InterfaceCreate.extend({ ...kept, position, ip_address: IpAddress }),
  Port: PortInput.extend(kept),
  Service: ServiceCreate.extend({ ...kept, source, position }),
};

export type ArchivedForms = { readonly [Kind in Archived]: z.infer<(typeof FORMS)[Kind]> };

/** An entity between the two passes over an archive. */
export type CheckedLine = {
  readonly [Kind in Archived]: { readonly line: number; readonly entity: Kind; readonly data: ArchivedForms[Kind] };
}[Archived];

export const FirstLine = z.object({
  archive: z.literal(ARCHIVE_MARK),
  version: z.literal(ARCHIVE_VERSION),
  organization_id: Id,
  changes_cursor: text(1, 200),
  networks: z.enum(["all", "some"]),
});
export type FirstLine = z.infer<typeof FirstLine>;

const count = z.int().min(0);
export const LastLine = z.object({
  end: z.literal(true),
  counts: z.object({ Tag: count, Network: count, Subnet: count, Host: count, Interface: count, Port: count, Service: count }), // prettier-ignore
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hexadecimal"),
});

export function formOf(kind: Archived): z.ZodType {
  return FORMS[kind];
}
