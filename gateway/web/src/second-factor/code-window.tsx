import { Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { confirmSecondFactor } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { api } from "../api/client.js";
import { FormWindow } from "../forms/form-window.js";
import { CodeField } from "./code-field.js";

/** Prompts for a code and verifies it. @param onClose called with whether it was correct */
export default function CodeWindow({ onClose }: { readonly onClose: (isGiven: boolean) => void }): ReactNode {
  const form = useForm({ initialValues: { code: "" } });
  return (
    <FormWindow
      title="Confirm your identity"
      form={form}
      onClose={() => onClose(false)}
      stays
      verb="Confirm"
      submit={async (body) => {
        await api.call(confirmSecondFactor, { body });
        onClose(true);
      }}
    >
      <Text size="sm">You are asked before sensitive changes, at most every ten minutes.</Text>
      <CodeField input={form.getInputProps("code")} />
    </FormWindow>
  );
}
