import type { KindName } from "@nts/shared/contract/kinds";
import type { Noted } from "../storage/audit-notes.js";

// Audit notes of archive exports and imports.

/** @param networks whether the archive has all networks, or only those visible to the caller */
export function notedExport(organizationId: string, networks: "all" | "some"): Noted {
  return { ...ofArchive(organizationId), action: "exported", after: { networks } };
}

/** The archive data known after validation, before anything is written. */
interface Imported {
  readonly heading: { readonly organization_id: string; readonly networks: "all" | "some" };
  readonly counts: Readonly<Record<KindName, number>>;
}

export function notedImport(organizationId: string, { heading, counts }: Imported): Noted {
  const { organization_id, networks } = heading;
  return { ...ofArchive(organizationId), action: "imported", after: { organization_id, networks, counts } };
}

function ofArchive(organization_id: string): Omit<Noted, "action" | "after"> {
  return { organization_id, entity: "Organization", entity_id: organization_id, name: "archive", before: null };
}
