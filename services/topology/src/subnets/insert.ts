import type { ClientSession } from "mongodb";
import type { Subnet } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Storage } from "../storage/storage.js";
import { holdTags } from "../tags/hold-tags.js";

/** Inserts a subnet with its guards. @throws AppError `invalid_reference` when its network or a tag is not there */
export async function insertSubnet(
  { guards, subnets }: Pick<Storage, "guards" | "subnets">,
  session: ClientSession,
  scope: Scope,
  subnet: Subnet,
): Promise<void> {
  const { id, network_id, tags } = subnet;
  if (!(await guards.count(session, scope, network_id, { subnets: 1 })))
    throw new AppError("invalid_reference", { path: "network_id" });
  await holdTags(guards, session, scope, { tags });
  await subnets.insert(session, scope, [subnet]);
  const { organizationId } = scope;
  await guards.create(session, { target: id, kind: "subnet", organization_id: organizationId, network_id });
}
