import { Text } from "@mantine/core";
import type { CreatedCollector } from "@nts/shared/contract";
import { getCollector } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useOne } from "../api/queries.js";
import { CopyField } from "../parts/copy.js";
import { SecretWindow } from "../parts/secret-window.js";
import { commandsFor } from "./texts.js";

/** Polling interval in milliseconds until a machine has enrolled. */
const PACE_MS = 2_000;

interface CommandWindowProps {
  readonly created: CreatedCollector;
  readonly onClose: () => void;
}

/** The one command that makes a machine the collector, and whether it has been run. */
export function CommandWindow({ created: { collector, token }, onClose }: CommandWindowProps): ReactNode {
  const { program, service, container } = commandsFor(window.location.origin, token);
  return (
    <SecretWindow
      title={`Start ${collector.name}`}
      label="Command"
      secret={program}
      warning="Run it on a machine of the network. It works once, within 24 hours."
      onClose={onClose}
    >
      <Text size="sm">
        Or as a service of systemd, which starts again with its machine, after{" "}
        <code>sudo npm install --global --prefix /usr/local</code> with the package of nts:
      </Text>
      <CopyField label="Commands of the service" value={service} />
      <Text size="sm">Or as a container, which does so, too:</Text>
      <CopyField label="Command of the container" value={container} />
      <Enrolment id={collector.id} before={collector.enrolled_at} />
    </SecretWindow>
  );
}

function Enrolment({ id, before }: { readonly id: string; readonly before: string | null }): ReactNode {
  const isWaited = ({ enrolled_at }: { readonly enrolled_at: string | null }): boolean => enrolled_at === before;
  const { data } = useOne(getCollector, { params: { id } }, { everyMs: PACE_MS, pollsAfter: isWaited });
  const enrolled = data !== undefined && !isWaited(data.data) ? data.data : null;
  return (
    <Text role="status" size="sm" c={enrolled === null ? "dimmed" : undefined}>
      {enrolled === null
        ? "Waiting for the machine …"
        : `${enrolled.hostname ?? "A machine"} has enrolled and looks around. What it finds appears on the map.`}
    </Text>
  );
}
