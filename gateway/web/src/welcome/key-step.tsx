import { Button, Group, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { curlLine } from "../keys/curl-line.js";
import { KeyEditor } from "../keys/key-editor.js";
import { CopyField } from "../parts/copy.js";
import { PATHS } from "../paths.js";

/** Makes the first API key, and shows the command that uses it. */
export function KeyStep(): ReactNode {
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Stack mt="md">
      <Text>
        Scripts and integrations use API keys. Each has its own role and can be limited to networks. The console works
        without one.
      </Text>
      {secret === null ? (
        <Group>
          <Button onClick={() => setMaking(true)}>Create API key</Button>
          <Button component={Link} to={PATHS.topology} variant="default">
            Skip and view topology
          </Button>
        </Group>
      ) : (
        <>
          <Text fw={500}>Copy your key now; it is not shown again.</Text>
          <CopyField label="API key" value={secret} />
          <Text fw={500}>List five services from a terminal:</Text>
          <CopyField label="Command" value={curlLine(secret, location.origin)} />
          <Group>
            <Button component={Link} to={PATHS.topology}>
              View topology
            </Button>
          </Group>
        </>
      )}
      {isMaking && <KeyEditor id={null} onClose={() => setMaking(false)} onCreated={setSecret} />}
    </Stack>
  );
}
