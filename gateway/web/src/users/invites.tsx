import { Title } from "@mantine/core";
import { type Invite, isAtLeast, listInvites, revokeInvite } from "@nts/shared/contract";
import { Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { useRows } from "../api/queries.js";
import { type Column, DataTable } from "../list/data-table.js";
import { useRemoval } from "../list/use-removal.js";
import { Panel } from "../parts/page.js";
import { RowMenu } from "../parts/row-menu.js";
import { When } from "../parts/when.js";
import { useNetworkScope } from "../scope/networks.js";
import classes from "./users.module.css";

/** The usable invites; nothing if there are none. */
export function Invites(): ReactNode {
  const { nameOf } = useNetworkScope();
  const { data } = useRows(listInvites, { query: { limit: 1000, order_by: "expires_at" } });
  const { removeOne } = useRemoval({
    one: revokeInvite,
    noun: "invite",
    consequence: "The link stops working. Users who already joined are not affected.",
  });
  const invites = data?.data ?? [];
  if (invites.length === 0) return null;
  const columns: readonly Column<Invite>[] = [
    { id: "role", label: "Role", cell: ({ permissions }) => <strong>{permissions}</strong> },
    { id: "email", label: "Mailed to", cell: ({ email }) => email ?? "–" },
    {
      id: "networks",
      label: "Networks",
      cell: ({ permissions, network_ids }) =>
        isAtLeast(permissions, "Admin")
          ? "All"
          : network_ids.length === 0
            ? "None"
            : network_ids.map(nameOf).join(", "),
    },
    { id: "made", label: "Created", numbers: true, cell: ({ created_at }) => <When at={created_at} /> },
    { id: "expires", label: "Expires", numbers: true, cell: ({ expires_at }) => <When at={expires_at} /> },
  ];
  return (
    <Panel>
      <Title order={2} className={classes.title ?? ""}>
        Pending invites
      </Title>
      <DataTable
        label="Pending invites"
        columns={columns}
        rows={invites}
        idOf={({ id }) => id}
        nameOf={({ permissions }) => `invite to ${permissions}`}
        actions={({ id, permissions }) => (
          <RowMenu
            name={`the invite to ${permissions}`}
            actions={[
              {
                label: "Revoke",
                icon: Trash2,
                isDestructive: true,
                run: () => removeOne(id, `the invite to ${permissions}`),
              },
            ]}
          />
        )}
      />
    </Panel>
  );
}
