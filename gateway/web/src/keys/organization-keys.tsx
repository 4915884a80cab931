import { Title } from "@mantine/core";
import { deleteOrganizationKey, listOrganizationKeys, listUsers, type UserApiKey } from "@nts/shared/contract";
import { Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { useRows } from "../api/queries.js";
import { type Column, DataTable } from "../list/data-table.js";
import { useRemoval } from "../list/use-removal.js";
import { Panel } from "../parts/page.js";
import { RowMenu } from "../parts/row-menu.js";
import { When } from "../parts/when.js";
import { useSession } from "../session/session.js";
import classes from "../users/users.module.css";
import { KeyStatus } from "./key-badge.js";

/** The keys of other users, for Owners; nothing if there are none. */
export function OrganizationKeys(): ReactNode {
  const { user: self } = useSession();
  const { data } = useRows(listOrganizationKeys, { query: { limit: 1000 } });
  const users = useRows(listUsers, { query: { limit: 1000 } });
  const { removeOne } = useRemoval({
    one: deleteOrganizationKey,
    noun: "key",
    consequence: "Anything using it stops working immediately. This cannot be undone.",
    webhooksOf:
      (id) =>
      ({ created_by }) =>
        created_by.key_id === id,
  });
  const emails = new Map(users.data?.data.map(({ id, email }) => [id, email]));
  const theirs = (data?.data ?? []).filter(({ user_id }) => user_id !== self.id);
  if (theirs.length === 0) return null;
  const columns: readonly Column<UserApiKey>[] = [
    { id: "name", label: "Name", cell: ({ name }) => <strong>{name}</strong> },
    { id: "user", label: "User", cell: ({ user_id }) => emails.get(user_id) ?? "–" },
    { id: "key", label: "Key", cell: ({ key }) => <span className="mono">{key.replace(/\*+$/, "…")}</span> },
    { id: "status", label: "Status", narrow: true, cell: (key) => <KeyStatus apiKey={key} /> },
    { id: "role", label: "Role", narrow: true, cell: ({ permissions }) => permissions },
    {
      id: "expires",
      label: "Expires",
      numbers: true,
      narrow: true,
      cell: ({ ends_at }) => <When at={ends_at} />,
    },
    { id: "used", label: "Last used", numbers: true, narrow: true, cell: ({ last_used }) => <When at={last_used} /> },
  ];
  return (
    <Panel>
      <Title order={2} className={classes.title ?? ""}>
        Keys of colleagues
      </Title>
      <DataTable
        label="Keys of colleagues"
        columns={columns}
        rows={theirs}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        actions={({ id, name }) => (
          <RowMenu
            name={name}
            actions={[{ label: "Delete", icon: Trash2, isDestructive: true, run: () => removeOne(id, name) }]}
          />
        )}
      />
    </Panel>
  );
}
