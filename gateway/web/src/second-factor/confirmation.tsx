import { Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { confirmSecondFactor } from "@nts/shared/contract";
import { type ReactNode, useEffect, useState } from "react";
import { api } from "../api/client.js";
import { askCodesBy } from "../api/confirmed.js";
import { FormWindow } from "../forms/form-window.js";
import { CodeField } from "./code-field.js";

/** Asks for a code whenever something takes one that nobody gave lately. */
export function Confirmation(): ReactNode {
  const [answer, setAnswer] = useState<((isGiven: boolean) => void) | null>(null);
  useEffect(() => {
    askCodesBy(() => new Promise((resolve) => setAnswer(() => resolve)));
    return () => askCodesBy(null);
  }, []);
  if (answer === null) return null;
  const close = (isGiven: boolean): void => {
    setAnswer(null);
    answer(isGiven);
  };
  return <CodeWindow onClose={close} />;
}

function CodeWindow({ onClose }: { readonly onClose: (isGiven: boolean) => void }): ReactNode {
  const form = useForm({ initialValues: { code: "" } });
  return (
    <FormWindow
      title="Confirm that it is you"
      form={form}
      onClose={() => onClose(false)}
      stays
      verb="Confirm"
      submit={async (body) => {
        await api.call(confirmSecondFactor, { body });
        onClose(true);
      }}
    >
      <Text size="sm">This is asked before anything that could give your account away, every ten minutes at most.</Text>
      <CodeField input={form.getInputProps("code")} />
    </FormWindow>
  );
}
