import { Alert, Button, Group, Select, Stack, TagsInput } from "@mantine/core";
import {
  CSV_RESOURCES,
  type CsvResource,
  IMPORT_FORMATS,
  type ImportFormat,
  takesHost,
  takesResource,
  UNRECOGNIZED_FILE,
} from "@nts/shared/contract";
import { FileUp, Undo2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { useUndo } from "../activity/use-undo.js";
import { describeFailure, faultsByPath } from "../api/failure.js";
import { PATHS } from "../paths.js";
import { CopyField } from "../parts/copy.js";
import { ChosenFile } from "./chosen-file.js";
import { columnsOf, columnsQuery } from "./columns.js";
import { ColumnsPart } from "./columns-part.js";
import { FileField } from "./file-field.js";
import { FORMATS, ROWS, SUPPORTED } from "./formats.js";
import classes from "./imports.module.css";
import { isNothing } from "./is-nothing.js";
import { JobProgress } from "./job-progress.js";
import { type Machine, MachineField } from "./machine-field.js";
import { PlanView } from "./plan-view.js";
import { useImportJob } from "./use-import-job.js";
import { useSaidColumns } from "./use-said-columns.js";

interface ScanImportProps {
  /** Empty if none is selected. */
  readonly networkId: string;
  /** The import that is shown instead of a new one; null for none. */
  readonly jobId: string | null;
  /** Called with the id of a started import, and with null when another file is chosen. */
  readonly onJob: (id: string | null) => void;
}

/** Selects a file, shows its plan, and imports it. */
export function ScanImport(props: ScanImportProps): ReactNode {
  const form = useImport(props);
  return props.jobId === null ? <NewImport form={form} networkId={props.networkId} /> : <StartedImport form={form} />;
}

function NewImport({ form, networkId }: PartProps & { readonly networkId: string }): ReactNode {
  const { plan, look, apply, file, hints, setHints, faults, send } = form;
  const isSending = look.isPending || apply.isPending;
  return (
    <Stack mt="md">
      <FormatFields form={form} />
      <MachinePart form={form} networkId={networkId} />
      <FilePart form={form} isDisabled={networkId === ""} />
      <TagsInput
        label="Known subnets (optional)"
        description="For example 10.0.0.0/22; otherwise the surrounding /24 or /64 is used"
        value={hints}
        onChange={(next) => {
          setHints(next);
          look.reset();
        }}
        error={faults["subnet_hint"] ?? faults["subnet_hint.0"]}
        acceptValueOnBlur
      />
      <Refusal form={form} />
      <TableColumns form={form} />
      {file !== null && plan === null && !isSending && (
        <Group justify="flex-end">
          <Button onClick={() => send(look, true, file)}>Preview import</Button>
        </Group>
      )}
      {isSending && <JobProgress job={look.job} />}
      {plan !== null && <PlanView plan={plan} />}
      {plan !== null && file !== null && (
        <Group justify="flex-end" className={classes.confirm}>
          <Button
            leftSection={<FileUp size={16} aria-hidden />}
            loading={apply.isPending}
            disabled={isNothing(plan)}
            onClick={() => send(apply, false, file)}
          >
            {isNothing(plan) ? "Nothing to import" : "Import"}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** An import that runs or has ended, perhaps started on another page. */
function StartedImport({ form }: PartProps): ReactNode {
  const { apply, begin } = form;
  const undo = useUndo();
  const { job } = apply;
  const plan = job?.plan ?? null;
  return (
    <Stack mt="md">
      {apply.isPending && job !== null && <JobProgress job={job} />}
      <Refusal form={form} />
      {job?.state === "cancelled" && (
        <Alert color="yellow" role="status" title="The import was cancelled">
          {job.done} of {job.total ?? 0} hosts were imported before.
        </Alert>
      )}
      {plan !== null && <PlanView plan={plan} isCancelled={job?.state === "cancelled"} />}
      {job !== null && !apply.isPending && (
        <Group justify="flex-end">
          {job.done > 0 && !job.dry_run && (
            <Button
              variant="default"
              leftSection={<Undo2 size={16} aria-hidden />}
              onClick={() => undo(job.request_id, job.done)}
            >
              Undo import
            </Button>
          )}
          <Button variant="default" onClick={() => begin(null)}>
            Import another file
          </Button>
          <Button component={Link} to={PATHS.hosts} variant="default">
            Go to hosts
          </Button>
          <Button component={Link} to={PATHS.topology}>
            View topology
          </Button>
        </Group>
      )}
    </Stack>
  );
}

type ImportForm = ReturnType<typeof useImport>;

/** The selection and its result. */
function useImport({ networkId, jobId, onJob }: ScanImportProps) {
  const [file, setFile] = useState<File | null>(null);
  const [format, setFormat] = useState<ImportFormat>("auto");
  const [machine, setMachine] = useState<Machine | null>(null);
  const [rows, setRows] = useState<CsvResource | null>(null);
  const [hints, setHints] = useState<string[]>([]);
  const { said, say } = useSaidColumns();
  const [previewId, setPreviewId] = useState<string | null>(null);
  const look = useImportJob(previewId, setPreviewId);
  const apply = useImportJob(jobId, onJob);
  const plan = look.job?.plan ?? null;
  // Still known while the preview is made again.
  const [lastJob, setLastJob] = useState(look.job);
  if (look.job !== null && look.job !== lastJob) setLastJob(look.job);
  const columns = columnsOf(lastJob);
  const send = (operation: typeof look, dry_run: boolean, body: File, as = format): void => {
    const reported = takesHost(as) ? machine : null;
    const table = {
      ...(as === "csv" && rows !== null && { resource: rows }),
      ...(takesResource(as) && { columns: columnsQuery(said) }),
    };
    const query = {
      network_id: networkId,
      dry_run,
      ...(hints.length > 0 && { subnet_hint: hints }),
      ...reported,
      ...table,
    };
    const params = { format: as };
    operation.start({ params, query, body });
  };
  const begin = (chosen: File | null, as = format): void => {
    setFile(chosen);
    setLastJob(null);
    look.reset();
    apply.reset();
    const isComplete = as === "auto" || !takesHost(as) || machine !== null;
    if (chosen !== null && networkId !== "" && isComplete) send(look, true, chosen, as);
  };
  const error = apply.error ?? look.error;
  const faults = faultsByPath(error);
  const lacksMachine = faults["hostname"] !== undefined || faults["host_id"] !== undefined;
  /** A preview is only valid for its own selection. */
  const forget = (): void => {
    if (plan !== null) look.reset();
  };
  return {
    ...{ file, format, setFormat, setMachine, machine, rows, setRows, columns, said, say, hints, setHints },
    ...{ look, apply, plan, error, faults, lacksMachine, send, begin, forget },
  };
}

interface PartProps {
  readonly form: ImportForm;
}

function FormatFields({ form }: PartProps): ReactNode {
  const { file, format, setFormat, rows, setRows, begin, forget } = form;
  const { command } = FORMATS[format];
  return (
    <>
      <Select
        label="Format"
        data={IMPORT_FORMATS.map((value) => ({ value, label: FORMATS[value].label }))}
        value={format}
        allowDeselect={false}
        onChange={(next) => {
          const chosen = next as ImportFormat;
          setFormat(chosen);
          begin(file, chosen);
        }}
      />
      {format === "csv" && (
        <Select
          label="Rows"
          description={
            <>
              The first line contains the headings. <code>ip_address</code> is required; <code>name</code>,{" "}
              <code>hostname</code>, <code>mac_address</code>, <code>port</code>, <code>protocol</code>,{" "}
              <code>service_definition</code> and others are optional
            </>
          }
          data={CSV_RESOURCES.map((value) => ({ value, label: ROWS[value] }))}
          value={rows}
          placeholder="Detect from headings"
          clearable
          onChange={(next) => {
            setRows(next);
            forget();
          }}
        />
      )}
      {command !== null && <CopyField label="Command" value={command} />}
    </>
  );
}

/** The machine of a file whose format may not identify it. */
function MachinePart({ form, networkId }: PartProps & { readonly networkId: string }): ReactNode {
  const { format, machine, setMachine, lacksMachine, faults, forget } = form;
  if (!takesHost(format) || (format === "auto" && !lacksMachine && machine === null)) return null;
  return (
    <MachineField
      networkId={networkId}
      onChange={(next) => {
        setMachine(next);
        forget();
      }}
      error={
        lacksMachine && machine === null
          ? "Select the host this file comes from; the file does not name it"
          : (faults["hostname"] ?? faults["host_id"])
      }
    />
  );
}

/** What the columns of the table in the file mean. */
function TableColumns({ form }: PartProps): ReactNode {
  const { columns, said, say, look } = form;
  return (
    <ColumnsPart
      columns={columns}
      said={said}
      onSay={(heading, meaning) => {
        say(heading, meaning);
        look.reset();
      }}
    />
  );
}

function FilePart({ form, isDisabled }: PartProps & { readonly isDisabled: boolean }): ReactNode {
  const { file, begin } = form;
  if (file === null)
    return <FileField onChoose={begin} isLacking={isDisabled ? "Select a network first" : undefined} />;
  return <ChosenFile file={file} onOther={() => begin(null)} />;
}

function Refusal({ form }: PartProps): ReactNode {
  const { error, faults, file, format, setFormat, begin, lacksMachine, look } = form;
  if (error === null || (lacksMachine && takesHost(format))) return null;
  const isUnknown = Object.values(faults).some((fault) => fault.startsWith(UNRECOGNIZED_FILE));
  if (isUnknown)
    return (
      <Alert color="red" role="alert" title={UNRECOGNIZED_FILE}>
        Supported: {SUPPORTED.join(", ")}. If it is one of these, select its format above.
        {format === "auto" && (
          <div>
            <Button
              variant="default"
              size="xs"
              mt="sm"
              onClick={() => {
                setFormat("csv");
                begin(file, "csv");
              }}
            >
              It is a table
            </Button>
          </div>
        )}
      </Alert>
    );
  if (look.error !== null && columnsOf(look.job).length > 0)
    return (
      <Alert color="yellow" role="alert" title="It is not clear which columns are meant">
        {describeFailure(error).text} Say below which one it is, and preview again.
      </Alert>
    );
  const title = isOfFile(faults) ? "The file cannot be read" : describeFailure(error).title;
  return (
    <Alert color="red" role="alert" title={title}>
      {describeFailure(error).text}
    </Alert>
  );
}

/** Labels of positions contain spaces, those of requests do not. */
function isOfFile(faults: Readonly<Record<string, string>>): boolean {
  return Object.keys(faults).some((path) => /^line \d|^\$/.test(path));
}
