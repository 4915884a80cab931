import { Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { Waypoints } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { PATHS } from "../paths.js";

/** Leads to the map, and says what else there is. */
export function MapStep(): ReactNode {
  return (
    <Stack mt="md">
      <Text>
        The map draws your subnets as boxes with a tile for each host. It follows every change, and looks back in time.
      </Text>
      <Group>
        <Button component={Link} to={PATHS.topology} leftSection={<Waypoints size={16} aria-hidden />}>
          Open the map
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        To keep it up to date, run <code>nts collect</code> regularly with an{" "}
        <Anchor component={Link} to={PATHS.keys} inherit underline="always">
          API key
        </Anchor>
        , or{" "}
        <Anchor component={Link} to={PATHS.importScan} inherit underline="always">
          import
        </Anchor>{" "}
        scans.
      </Text>
    </Stack>
  );
}
