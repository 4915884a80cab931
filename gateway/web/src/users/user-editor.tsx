import { Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { getUser, updateUser, type User } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useWrite } from "../api/queries.js";
import { type Edited, ForEditing } from "../forms/for-editing.js";
import { FormWindow } from "../forms/form-window.js";
import { type Reach, ReachFields } from "./reach-fields.js";

export function UserEditor({ id, onClose }: { readonly id: string; readonly onClose: () => void }): ReactNode {
  return (
    <ForEditing operation={getUser} id={id} title="Edit user" onClose={onClose}>
      {(edited) => <UserForm edited={edited} onClose={onClose} />}
    </ForEditing>
  );
}

function UserForm({ edited, onClose }: { readonly edited: Edited<User>; readonly onClose: () => void }): ReactNode {
  const update = useWrite(updateUser);
  const { id, kind, name, email, permissions, network_ids } = edited.entity;
  const form = useForm<Reach>({ initialValues: { permissions, network_ids } });
  return (
    <FormWindow
      title="Edit user"
      form={form}
      onClose={onClose}
      onReload={edited.reload}
      done="Saved. The change applies immediately to every key and session."
      submit={(body) => update.mutateAsync({ params: { id }, body, ...edited.ifMatch })}
    >
      <Text fw={600}>{name ?? email}</Text>
      <ReachFields form={form} isService={kind === "service"} />
    </FormWindow>
  );
}
