import type { Archived } from "@nts/shared/contract/archives";
import type { Noted } from "../storage/audit-notes.js";

// Archives as the audit log shows them: that all of an inventory went out or came in, and how much of whose it was.

/** @param networks whether it is of all networks, or of those that the caller may see */
export function notedExport(organizationId: string, networks: "all" | "some"): Noted {
  return { ...ofArchive(organizationId), action: "exported", after: { networks } };
}

/** What is known of an archive before anything of it is written. */
interface Imported {
  readonly heading: { readonly organization_id: string; readonly networks: "all" | "some" };
  readonly counts: Readonly<Record<Archived, number>>;
}

export function notedImport(organizationId: string, { heading, counts }: Imported): Noted {
  const { organization_id, networks } = heading;
  return { ...ofArchive(organizationId), action: "imported", after: { organization_id, networks, counts } };
}

function ofArchive(organization_id: string): Omit<Noted, "action" | "after"> {
  return { organization_id, entity: "Organization", entity_id: organization_id, name: "archive", before: null };
}
