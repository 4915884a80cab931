import { Alert, Button, Group, Progress, Stack, Text, Title } from "@mantine/core";
import { type ArchiveImport, importArchive } from "@nts/shared/contract";
import { FileUp } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { describeFailure, isTransient } from "../api/failure.js";
import { ChosenFile } from "../imports/chosen-file.js";
import { FileField } from "../imports/file-field.js";
import { Panel } from "../parts/page.js";
import { PATHS } from "../paths.js";
import { useSession } from "../session/session.js";
import { ArchiveReport, Faults, isNothing } from "./archive-report.js";
import { type ArchiveSending, useArchiveImport } from "./use-archive-import.js";

const limitBytes = importArchive.upload?.limitBytes ?? Infinity;
const LIMIT_TEXT = `up to ${Math.floor(limitBytes / 1_048_576)} MB`;

/** Previews an archive with a dry run, then imports it. */
export function ArchiveImportPart(): ReactNode {
  const [file, setFile] = useState<File | null>(null);
  const look = useArchiveImport();
  const apply = useArchiveImport();
  const begin = (chosen: File | null): void => {
    for (const { cancel } of [look, apply]) cancel();
    setFile(chosen);
    if (chosen !== null && chosen.size <= limitBytes) look.sending.mutate({ file: chosen, isDry: true });
  };
  const done = apply.sending.data;
  const report = done ?? look.sending.data;
  const isTooLarge = file !== null && file.size > limitBytes;
  const current = apply.sending.isIdle ? look : apply;
  const { error, isPending } = current.sending;
  return (
    <Panel pad>
      <Stack>
        <Title order={2}>Restore</Title>
        <Text size="sm">
          Existing entities are reset to their archived state, missing ones are created, and nothing is deleted. You see
          a preview before anything is changed.
        </Text>
        {file === null ? (
          <FileField onChoose={begin} about={`An archive; ${LIMIT_TEXT}`} />
        ) : (
          <ChosenFile file={file} onOther={done === undefined && apply.sending.isPending ? null : () => begin(null)} />
        )}
        {isTooLarge && (
          <Alert color="red" role="alert" title="The file is too large">
            An archive can have {LIMIT_TEXT}.
          </Alert>
        )}
        {isPending && <Going {...current} />}
        {error !== null && file !== null && (
          <Failed error={error} onRetry={() => current.sending.mutate({ file, isDry: current === look })} />
        )}
        {report !== undefined && !apply.sending.isPending && <OfWhom report={report} />}
        {report !== undefined && !apply.sending.isPending && <ArchiveReport report={report} />}
        {report !== undefined && file !== null && apply.sending.error === null && (
          <Group justify="flex-end">
            {done !== undefined ? (
              <Button component={Link} to={PATHS.networks} variant="default">
                Go to networks
              </Button>
            ) : (
              <Button
                leftSection={<FileUp size={16} aria-hidden />}
                loading={apply.sending.isPending}
                disabled={isNothing(report)}
                onClick={() => apply.sending.mutate({ file, isDry: false })}
              >
                {isNothing(report) ? "Nothing to import" : "Import"}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Panel>
  );
}

function Going({ progress, isInterrupted, sending }: ArchiveSending): ReactNode {
  const share = progress === null || progress.total === 0 ? 0 : (100 * progress.done) / progress.total;
  const verb = sending.variables?.isDry === false ? "Importing" : "Comparing";
  const text = isInterrupted
    ? "Interrupted. Retrying in a moment; the import resumes where it stopped."
    : progress === null
      ? "Uploading and validating the file …"
      : `${verb}: ${progress.done} of ${progress.total}`;
  return (
    <div>
      <Text size="sm" role="status" mb="xs" className="numbers">
        {text}
      </Text>
      <Progress value={share} animated={progress === null} aria-label="Progress" />
    </div>
  );
}

function Failed({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }): ReactNode {
  const { title, text } = describeFailure(error);
  return (
    <>
      <Alert color="red" role="alert" title={title}>
        {text !== title && text}
      </Alert>
      <Faults error={error} />
      {isTransient(error) && (
        <Group justify="flex-end">
          <Button onClick={onRetry}>Continue</Button>
        </Group>
      )}
    </>
  );
}

/** Warns about archives of another organization, or of some networks only. */
function OfWhom({ report }: { readonly report: ArchiveImport }): ReactNode {
  const { organization } = useSession();
  const { organization_id: id, networks } = report.archive;
  const remarks = [
    ...(id === organization.id
      ? []
      : ["The archive is from another organization: its entities are created in addition to the existing ones."]),
    ...(networks === "all" ? [] : ["The archive does not contain all networks of its organization."]),
  ];
  return remarks.length === 0 ? null : <Alert color="yellow">{remarks.join(" ")}</Alert>;
}
