import { Alert, Button, Group, Stack, TagsInput, Text } from "@mantine/core";
import { importNmap, type ImportPlan } from "@nts/shared/contract";
import { FileUp, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { describeFailure, faultsByPath } from "../api/failure.js";
import { useWrite } from "../api/queries.js";
import { PATHS } from "../paths.js";
import { FileField } from "./file-field.js";
import { PlanView } from "./plan-view.js";

interface ScanImportProps {
  /** Empty while none is chosen. */
  readonly networkId: string;
  /** Called when an import has been applied. */
  readonly onApplied?: (plan: ImportPlan) => void;
}

/** From a file to a plan, and from the plan to what it says. */
export function ScanImport({ networkId, onApplied }: ScanImportProps): ReactNode {
  const [file, setFile] = useState<File | null>(null);
  const [hints, setHints] = useState<string[]>([]);
  const look = useWrite(importNmap);
  const apply = useWrite(importNmap);
  const plan = apply.data ?? look.data;
  const send = (operation: typeof look, dry_run: boolean, body: File): void => {
    const query = { network_id: networkId, dry_run, ...(hints.length > 0 && { subnet_hint: hints }) };
    operation.mutate({ query, body }, { onSuccess: (done) => (dry_run ? undefined : onApplied?.(done)) });
  };
  const begin = (chosen: File | null): void => {
    setFile(chosen);
    look.reset();
    apply.reset();
    if (chosen !== null && networkId !== "") send(look, true, chosen);
  };
  const error = apply.error ?? look.error;
  return (
    <Stack mt="md">
      {file === null ? (
        <FileField onChoose={begin} disabled={networkId === ""} />
      ) : (
        <Group justify="space-between">
          <Text size="sm">
            <strong>{file.name}</strong>{" "}
            <Text component="span" c="dimmed" inherit className="numbers">
              {sizeText(file.size)}
            </Text>
          </Text>
          <Button variant="default" size="xs" leftSection={<X size={14} aria-hidden />} onClick={() => begin(null)}>
            Choose another file
          </Button>
        </Group>
      )}
      {apply.data === undefined && (
        <TagsInput
          label="Known subnets (optional)"
          description="For example 10.0.0.0/22; otherwise the surrounding /24 or /64 is used"
          value={hints}
          onChange={(next) => {
            setHints(next);
            look.reset();
          }}
          error={faultsByPath(error)["subnet_hint"] ?? faultsByPath(error)["subnet_hint.0"]}
          acceptValueOnBlur
        />
      )}
      {error !== null && (
        <Alert color="red" role="alert" title={describeFailure(error).title}>
          {describeFailure(error).text}
        </Alert>
      )}
      {file !== null && look.data === undefined && apply.data === undefined && (
        <Group justify="flex-end">
          <Button loading={look.isPending} onClick={() => send(look, true, file)}>
            Preview import
          </Button>
        </Group>
      )}
      {plan !== undefined && <PlanView plan={plan} />}
      {plan !== undefined && file !== null && (
        <Group justify="flex-end">
          {apply.data === undefined ? (
            <Button
              leftSection={<FileUp size={16} aria-hidden />}
              loading={apply.isPending}
              disabled={isNothing(plan)}
              onClick={() => send(apply, false, file)}
            >
              {isNothing(plan) ? "Nothing to import" : "Import"}
            </Button>
          ) : (
            <>
              <Button component={Link} to={PATHS.hosts} variant="default">
                Go to hosts
              </Button>
              <Button component={Link} to={PATHS.topology}>
                View topology
              </Button>
            </>
          )}
        </Group>
      )}
    </Stack>
  );
}

function isNothing({ summary }: ImportPlan): boolean {
  const { hosts, subnets } = summary;
  return hosts.create + hosts.update + subnets.create === 0;
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
