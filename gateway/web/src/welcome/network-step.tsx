import { Alert, Button, Divider, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { createNetwork, type Network } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { describeFailure, faultsByPath } from "../api/failure.js";
import { useWrite } from "../api/queries.js";
import { TrySample } from "../sample/try-sample.js";

interface NetworkStepProps {
  /** The one that there is already. */
  readonly network: Network | undefined;
  readonly onDone: (networkId: string) => void;
}

/** Makes the first network. */
export function NetworkStep({ network, onDone }: NetworkStepProps): ReactNode {
  const create = useWrite(createNetwork);
  const form = useForm({ initialValues: { name: "" } });
  const submit = form.onSubmit((body) => {
    create.mutate(
      { body },
      { onSuccess: ({ id }) => onDone(id), onError: (error) => form.setErrors(faultsByPath(error)) },
    );
  });
  if (network !== undefined)
    return (
      <Group mt="md">
        <Text>
          You have the network <strong>{network.name}</strong>.
        </Text>
        <Button onClick={() => onDone(network.id)}>Next</Button>
      </Group>
    );
  return (
    <form onSubmit={submit} noValidate>
      <Stack mt="md" maw="28rem">
        <Text>
          A network is a site you want to see as a whole, such as your home, an office or a data centre. You can have as
          many as you like.
        </Text>
        {create.error !== null && Object.keys(faultsByPath(create.error)).length === 0 && (
          <Alert color="red" role="alert" title={describeFailure(create.error).title}>
            {describeFailure(create.error).text}
          </Alert>
        )}
        <TextInput label="Network name" placeholder="Home" required {...form.getInputProps("name")} />
        <Group>
          <Button type="submit" loading={create.isPending}>
            Create network
          </Button>
        </Group>
        <Divider label="or look around first" />
        <TrySample />
      </Stack>
    </form>
  );
}
