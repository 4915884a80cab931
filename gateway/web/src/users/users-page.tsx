import { Badge, Button, Group } from "@mantine/core";
import { deleteUser, isAtLeast, listUsers, resetUserSecondFactor, type User } from "@nts/shared/contract";
import { Bot, KeyRound, Pencil, ShieldOff, Trash2, UserPlus, Users } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useNavigate } from "react-router";
import { useRows, useSend } from "../api/queries.js";
import type { Column } from "../list/data-table.js";
import { fieldOf, useListState } from "../list/list-state.js";
import { ListView } from "../list/list-view.js";
import { useRemoval } from "../list/use-removal.js";
import { useConfirm } from "../forms/confirm.js";
import { serviceKeysPath } from "../paths.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page } from "../parts/page.js";
import { type RowAction, RowMenu } from "../parts/row-menu.js";
import { notifySuccess } from "../parts/toast.js";
import { When } from "../parts/when.js";
import { useHasLevel, useSession } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { InviteEditor } from "./invite-editor.js";
import { Invites } from "./invites.js";
import { reachText } from "./reach-text.js";
import { ServiceAccountEditor } from "./service-account-editor.js";
import { UserEditor } from "./user-editor.js";

const FIELDS = ["email", "created_at", "updated_at"] as const;

/** The users and pending invites of the organization. */
export default function UsersPage(): ReactNode {
  const state = useListState();
  const { user: self, permissions } = useSession();
  const may = useHasLevel("Admin");
  const { nameOf, isLoaded } = useNetworkScope();
  const [edited, setEdited] = useState<string | null>(null);
  const [isInviting, setInviting] = useState(false);
  const [isAdding, setAdding] = useState(false);
  const navigate = useNavigate();
  const rows = useRows(listUsers, { query: { ...state.query, order_by: fieldOf(FIELDS, state.orderBy) ?? "email" } });
  const { removeOne } = useRemoval({
    one: deleteUser,
    noun: "user",
    consequence: "All API keys, sessions and invites of this user end immediately. This cannot be undone.",
    webhooksOf:
      (id) =>
      ({ created_by }) =>
        created_by.user_id === id,
  });
  const resetOf = useFactorReset(self.id);
  const mayChange = (user: User): boolean => permissions === "Owner" || !isAtLeast(user.permissions, "Admin");
  return (
    <Page
      title="Users"
      about="Users belong to the organization. Members and Viewers can access the networks granted to them."
      actions={
        may && (
          // the editors preselect a network, if there is one
          <Group gap="xs">
            <Button
              variant="default"
              disabled={!isLoaded}
              leftSection={<Bot size={16} aria-hidden />}
              onClick={() => setAdding(true)}
            >
              New service account
            </Button>
            <Button
              disabled={!isLoaded}
              leftSection={<UserPlus size={16} aria-hidden />}
              onClick={() => setInviting(true)}
            >
              Invite user
            </Button>
          </Group>
        )
      }
    >
      <ListView
        label="Users"
        rows={rows}
        state={state}
        columns={columnsOf(self.id, nameOf)}
        idOf={({ id }) => id}
        nameOf={labelOf}
        actions={(user) =>
          mayChange(user) && (
            <RowMenu
              name={labelOf(user)}
              actions={[
                { label: "Change", icon: Pencil, run: () => setEdited(user.id) },
                ...(user.kind === "service"
                  ? [{ label: "API keys", icon: KeyRound, run: () => void navigate(serviceKeysPath(user.id)) }]
                  : []),
                ...resetOf(user),
                { label: "Remove", icon: Trash2, isDestructive: true, run: () => removeOne(user.id, labelOf(user)) },
              ]}
            />
          )
        }
        empty={<NoUsers />}
      />
      {may && <Invites />}
      {edited !== null && <UserEditor id={edited} onClose={() => setEdited(null)} />}
      {isAdding && (
        <ServiceAccountEditor
          onClose={() => setAdding(false)}
          onCreated={({ id }) => void navigate(serviceKeysPath(id))}
        />
      )}
      {isInviting && <InviteEditor onClose={() => setInviting(false)} />}
    </Page>
  );
}

/** The name of a service account, the address of a person. */
function labelOf({ name, email }: User): string {
  return name ?? email;
}

function NoUsers(): ReactNode {
  return (
    <EmptyState icon={Users} title="No users">
      Invite the people who look after your networks.
    </EmptyState>
  );
}

/** Resets the second factor of a user who has lost the device and the recovery codes. */
function useFactorReset(selfId: string): (user: User) => readonly RowAction[] {
  const isOwner = useHasLevel("Owner");
  const ask = useConfirm();
  const send = useSend();
  return ({ id, email, second_factor }) =>
    !isOwner || !second_factor || id === selfId
      ? []
      : [
          {
            label: "Reset second factor",
            icon: ShieldOff,
            run: () =>
              ask({
                title: `Reset the second factor of ${email}?`,
                text: "Their sessions end, and they can sign in without a code until they set up a new second factor. Verify who is asking.",
                verb: "Reset",
                run: async () => {
                  await send(resetUserSecondFactor, { params: { id } });
                  notifySuccess(`Second factor of ${email} reset.`);
                },
              }),
          },
        ];
}

function columnsOf(selfId: string, nameOf: (networkId: string) => string): readonly Column<User>[] {
  return [
    {
      id: "email",
      label: "User",
      orderBy: "email",
      cell: ({ id, kind, name, email, disabled }) => (
        <>
          <strong>{name ?? email}</strong>{" "}
          {kind === "service" && (
            <Badge variant="light" color="grape" tt="none">
              Service
            </Badge>
          )}{" "}
          {id === selfId && (
            <Badge variant="light" tt="none">
              You
            </Badge>
          )}
          {disabled && (
            <Badge variant="light" color="gray" tt="none">
              Disabled
            </Badge>
          )}
        </>
      ),
    },
    { id: "role", label: "Role", narrow: true, cell: (user) => user.permissions },
    { id: "networks", label: "Networks", cell: (user) => reachText(user, nameOf) },
    { id: "factor", label: "Second factor", narrow: true, cell: ({ second_factor }) => (second_factor ? "On" : "–") },
    {
      id: "since",
      label: "Since",
      orderBy: "created_at",
      numbers: true,
      narrow: true,
      cell: ({ created_at }) => <When at={created_at} />,
    },
  ];
}
