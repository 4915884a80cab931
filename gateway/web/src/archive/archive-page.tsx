import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { exportArchive } from "@nts/shared/contract";
import { Download, Lock } from "lucide-react";
import type { MouseEvent, ReactNode } from "react";
import { ensureConfirmed } from "../api/confirmed.js";
import { CopyField } from "../parts/copy.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page, Panel } from "../parts/page.js";
import { BackLink } from "../parts/back-link.js";
import { notifyFailure } from "../parts/toast.js";
import { PATHS } from "../paths.js";
import { useHasLevel } from "../session/session.js";
import { ArchiveImportPart } from "./archive-import.js";
import classes from "./archive.module.css";

const FILE_NAME = "organization-archive.ndjson";

/** Backup and restoration: export and import of the organization's inventory as one file. */
export default function ArchivePage(): ReactNode {
  const may = useHasLevel("Owner");
  return (
    <Page narrow title="Backup" about={<BackLink to={PATHS.settings}>Settings</BackLink>}>
      {may ? (
        <div className={classes.parts}>
          <DownloadPart />
          <ArchiveImportPart />
        </div>
      ) : (
        <Panel pad>
          <EmptyState icon={Lock} title="Requires the Owner role">
            Ask an Owner of your organization for an archive.
          </EmptyState>
        </Panel>
      )}
    </Page>
  );
}

function DownloadPart(): ReactNode {
  const url = location.origin + exportArchive.path;
  return (
    <Panel pad>
      <Stack>
        <Title order={2}>Download</Title>
        <Text size="sm">
          An archive is a snapshot of networks, subnets, tags and hosts with everything on them. Users, API keys,
          webhooks and the history are not included. Each download is recorded in the audit log.
        </Text>
        <CopyField label="Command" value={`curl -f -H 'Authorization: Bearer API_KEY' '${url}' -o ${FILE_NAME}`} />
        <Group justify="flex-end">
          <Button
            component="a"
            href={exportArchive.path}
            download={FILE_NAME}
            leftSection={<Download size={16} aria-hidden />}
            onClick={downloadWhenConfirmed}
          >
            Download archive
          </Button>
        </Group>
      </Stack>
    </Panel>
  );
}

/** A browser would save the refusal as the file, so a code is asked for before. */
function downloadWhenConfirmed(event: MouseEvent<HTMLAnchorElement>): void {
  // The second click, by this function.
  if (!event.isTrusted) return;
  event.preventDefault();
  const link = event.currentTarget;
  void ensureConfirmed().then((may) => may && link.click(), notifyFailure);
}
