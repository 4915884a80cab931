import { Button } from "@mantine/core";
import type { Change } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { type Column, DataTable } from "../list/data-table.js";
import { fieldText } from "../api/field-texts.js";
import { comparisonOf, type ComparedField } from "./entries.js";
import { Value } from "./value.js";

type Compared = Pick<Change, "before" | "after" | "fields" | "name"> & Partial<Pick<Change, "host_id">>;

/** An entity before and after a change, side by side; optionally with unchanged members. */
export function Comparison({ entry }: { readonly entry: Compared }): ReactNode {
  const { before, after, host_id: hostId = null, name: entityName } = entry;
  const [isAll, setAll] = useState(false);
  const all = comparisonOf(entry);
  const rows = isAll ? all : all.filter(({ isChanged }) => isChanged);
  const side = (id: "before" | "after", label: string): Column<ComparedField> => ({
    id,
    label,
    cell: (field) => <Value name={field.name} value={field[id]} hostId={hostId} />,
  });
  const columns: readonly Column<ComparedField>[] = [
    { id: "field", label: "Field", narrow: true, cell: ({ name }) => fieldText(name) },
    ...(before === null ? [] : [side("before", "Before")]),
    ...(after === null ? [] : [side("after", "After")]),
  ];
  return (
    <>
      <DataTable
        label={`${entityName} before and after`}
        columns={columns}
        rows={rows}
        idOf={({ name }) => name}
        nameOf={({ name }) => name}
      />
      {all.some(({ isChanged }) => !isChanged) && (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setAll(!isAll)} aria-expanded={isAll}>
          {isAll ? "Only what changed" : "All fields"}
        </Button>
      )}
    </>
  );
}
