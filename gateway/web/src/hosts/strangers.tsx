import { Button, Group, Select } from "@mantine/core";
import { type Host, knowHosts } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useWrite } from "../api/queries.js";
import type { ListState } from "../list/list-state.js";
import classes from "../list/list-view.module.css";
import type { Selecting } from "../list/use-selection.js";
import { notifyFailure, notifySuccess } from "../parts/toast.js";
import { useHasLevel } from "../session/session.js";

// Strangers: hosts that an import has found, and of which nobody has said yet that they are known.

const CHOICES = [
  { value: "false", label: "Strangers" },
  { value: "true", label: "Known" },
];

export function KnownFilter({ state }: { readonly state: ListState }): ReactNode {
  return (
    <Select
      className={classes.filter ?? ""}
      aria-label="Known or not"
      placeholder="Known or not"
      clearable
      data={CHOICES}
      value={state.valuesOf("known")[0] ?? null}
      onChange={(known) => state.change({ known })}
      clearButtonProps={{ "aria-label": "Clear: Known or not" }}
    />
  );
}

export function knownOf(state: ListState): { readonly is_known?: boolean } {
  const [known] = state.valuesOf("known");
  return known === "true" || known === "false" ? { is_known: known === "true" } : {};
}

/** On the page of a host. */
export function Stranger({ host }: { readonly host: Host }): ReactNode {
  const may = useHasLevel("Member");
  return (
    <Group gap="sm">
      Not yet
      {may && <KnowButton host={host} />}
    </Group>
  );
}

/** Says that a host is known. */
export function KnowButton({ host: { id, name } }: { readonly host: Pick<Host, "id" | "name"> }): ReactNode {
  const know = useWrite(knowHosts);
  const run = async (): Promise<void> => {
    await know.mutateAsync({ body: { ids: [id] } });
    notifySuccess(`${name} is known.`);
  };
  return (
    <Button size="compact-sm" variant="light" loading={know.isPending} onClick={() => void run().catch(notifyFailure)}>
      I know it
    </Button>
  );
}

/** Says that the selected hosts are known. */
export function KnowSelected({ selection }: { readonly selection: Selecting }): ReactNode {
  const know = useWrite(knowHosts);
  const run = async (): Promise<void> => {
    const { known_count: count } = await know.mutateAsync({ body: { ids: [...selection.ids] } });
    selection.clear();
    notifySuccess(count === 1 ? "1 stranger is known now." : `${count} strangers are known now.`);
  };
  return (
    <Button size="compact-sm" variant="light" loading={know.isPending} onClick={() => void run().catch(notifyFailure)}>
      I know them
    </Button>
  );
}
