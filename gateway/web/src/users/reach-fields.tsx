import { MultiSelect, Select } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { isAtLeast, PERMISSIONS, type Permission } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useSession } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";

export interface Reach {
  permissions: Permission;
  network_ids: string[];
}

/** Descriptions of the roles. */
const ROLES: Readonly<Record<Permission, string>> = {
  Owner: "Owner: everything",
  Admin: "Admin: networks, tags and users",
  Member: "Member: hosts, services and subnets",
  Viewer: "Viewer: read only",
};

interface ReachFieldsProps {
  readonly form: UseFormReturnType<Reach>;
  /** Of a service account, which is never an Owner. */
  readonly isService?: boolean;
}

/** Role and networks of a user. */
export function ReachFields({ form, isService = false }: ReachFieldsProps): ReactNode {
  const { permissions: own } = useSession();
  const { networks } = useNetworkScope();
  const { permissions } = form.getValues();
  const mayGive = (level: Permission): boolean =>
    !(isService && level === "Owner") && (own === "Owner" || !isAtLeast(level, "Admin"));
  return (
    <>
      <Select
        label="Role"
        required
        allowDeselect={false}
        data={PERMISSIONS.filter((level) => mayGive(level) || level === permissions).map((level) => ({
          value: level,
          label: ROLES[level],
        }))}
        {...form.getInputProps("permissions")}
      />
      {isAtLeast(permissions, "Admin") ? null : (
        <MultiSelect
          label="Networks"
          description="Members and Viewers can access only these networks"
          searchable
          data={networks.map(({ id, name }) => ({ value: id, label: name }))}
          {...form.getInputProps("network_ids")}
        />
      )}
    </>
  );
}
