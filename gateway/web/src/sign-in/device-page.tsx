import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ApiError } from "@nts/shared/client";
import { confirmDeviceSignIn, type DeviceSignIn, refuseDeviceSignIn, showDeviceSignIn } from "@nts/shared/contract";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api } from "../api/client.js";
import { useWrite } from "../api/queries.js";
import { Page, Panel } from "../parts/page.js";
import { When } from "../parts/when.js";
import { useSession } from "../session/session.js";
import classes from "./device-page.module.css";
import { refusalOf } from "./refusal.js";

type Step =
  | { readonly at: "code" }
  | { readonly at: "question"; readonly code: string; readonly asking: DeviceSignIn }
  | { readonly at: "end"; readonly text: string };

/** Where a person enters the code of a program, sees who asks, and decides. */
export default function DevicePage(): ReactNode {
  const [step, setStep] = useState<Step>({ at: "code" });
  const again = (): void => setStep({ at: "code" });
  return (
    <Page title="Sign in a program" about="For nts and other programs on machines without a browser.">
      <Panel pad>
        <div className={classes.narrow}>
          {step.at === "code" && <CodeForm onFound={(code, asking) => setStep({ at: "question", code, asking })} />}
          {step.at === "question" && (
            <Question {...step} onBack={again} onEnd={(text) => setStep({ at: "end", text })} />
          )}
          {step.at === "end" && (
            <Stack>
              <Alert color="teal" role="status">
                {step.text}
              </Alert>
              <Group>
                <Button variant="default" onClick={again}>
                  Enter another code
                </Button>
              </Group>
            </Stack>
          )}
        </div>
      </Panel>
    </Page>
  );
}

function CodeForm({ onFound }: { readonly onFound: (code: string, asking: DeviceSignIn) => void }): ReactNode {
  const form = useForm({ initialValues: { user_code: "" } });
  const show = useMutation({
    mutationFn: (user_code: string) => api.call(showDeviceSignIn, { body: { user_code } }),
    onSuccess: (asking, code) => onFound(code, asking),
  });
  return (
    <form onSubmit={form.onSubmit(({ user_code }) => show.mutate(user_code))} noValidate>
      <Stack>
        {show.error !== null && <Refusal error={show.error} />}
        <TextInput
          label="Code"
          description="As the program shows it"
          placeholder="BCDF-GHJK"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          data-autofocus
          required
          classNames={{ input: classes.code ?? "" }}
          {...form.getInputProps("user_code")}
        />
        <Group>
          <Button type="submit" loading={show.isPending} disabled={form.values.user_code.trim() === ""}>
            Continue
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface QuestionProps {
  readonly code: string;
  readonly asking: DeviceSignIn;
  readonly onBack: () => void;
  readonly onEnd: (text: string) => void;
}

function Question({ code, asking, onBack, onEnd }: QuestionProps): ReactNode {
  const { user } = useSession();
  const confirm = useWrite(confirmDeviceSignIn);
  const refuse = useWrite(refuseDeviceSignIn);
  const input = { body: { user_code: code } };
  const error = confirm.error ?? refuse.error;
  const { name, program, address, created_at } = asking;
  return (
    <Stack>
      {error !== null && <Refusal error={error} />}
      <Text>
        Sign in as <strong>{user.email}</strong>?
      </Text>
      <dl className={classes.facts}>
        <dt>Asks</dt>
        <dd>{name ?? "It does not say"}</dd>
        <dt>Program</dt>
        <dd>{program ?? "Unknown"}</dd>
        <dt>From</dt>
        <dd>{address ?? "Unknown"}</dd>
        <dt>When</dt>
        <dd>
          <When at={created_at} />
        </dd>
      </dl>
      <Alert color="yellow">
        Only confirm what you have started yourself just now. The program can then do everything that you can.
      </Alert>
      <Group>
        <Button
          loading={confirm.isPending}
          disabled={refuse.isPending}
          onClick={() =>
            confirm.mutate(input, { onSuccess: () => onEnd("Confirmed. The program signs in within seconds.") })
          }
        >
          Confirm
        </Button>
        <Button
          variant="default"
          loading={refuse.isPending}
          disabled={confirm.isPending}
          onClick={() => refuse.mutate(input, { onSuccess: () => onEnd("Refused. The program gets no access.") })}
        >
          Refuse
        </Button>
        <Button variant="subtle" onClick={onBack}>
          Another code
        </Button>
      </Group>
    </Stack>
  );
}

function Refusal({ error }: { readonly error: Error }): ReactNode {
  const isUnknown = error instanceof ApiError && error.code === "not_found";
  return (
    <Alert color="red" role="alert">
      {isUnknown
        ? "No program is waiting with this code. Check it; codes are valid for ten minutes, and once."
        : refusalOf(error)}
    </Alert>
  );
}
