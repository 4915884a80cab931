import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { createUser, type User } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useWrite } from "../api/queries.js";
import { useLikelyNetwork } from "../forms/network-field.js";
import { FormWindow } from "../forms/form-window.js";
import { type Reach, ReachFields } from "./reach-fields.js";

interface EditorProps {
  readonly onClose: () => void;
  readonly onCreated: (user: User) => void;
}

/** Creates a service account, for which keys are made next. */
export function ServiceAccountEditor({ onClose, onCreated }: EditorProps): ReactNode {
  const create = useWrite(createUser);
  const likely = useLikelyNetwork();
  const form = useForm<Reach & { readonly name: string }>({
    initialValues: { name: "", permissions: "Member", network_ids: likely === "" ? [] : [likely] },
  });
  return (
    <FormWindow
      title="New service account"
      form={form}
      onClose={onClose}
      verb="Create"
      submit={async (values) => {
        onCreated(await create.mutateAsync({ body: { ...values, kind: "service" } }));
      }}
    >
      <TextInput
        label="Name"
        description="The program that uses it; nobody signs in with it"
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <ReachFields form={form} isService />
    </FormWindow>
  );
}
