import { Button, Select, Text, Title } from "@mantine/core";
import type { ImportedColumn } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { attributeOf, meaningLabel, MEANINGS, type SaidColumns } from "./columns.js";
import classes from "./imports.module.css";

interface ColumnsPartProps {
  readonly columns: readonly ImportedColumn[];
  readonly said: SaidColumns;
  readonly onSay: (heading: string, meaning: string | null) => void;
}

/** Asks what columns of a table mean: those that are not used, and those that have been asked before. */
export function ColumnsPart({ columns, said, onSay }: ColumnsPartProps): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole
    ? columns
    : columns.filter(({ heading, meaning, given }) => meaning === null || given || said[heading] !== undefined);
  if (columns.length === 0) return null;
  return (
    <section aria-label="Columns">
      <Title order={2}>Columns</Title>
      <Text size="sm" c="dimmed" mb="xs">
        {shown.length === 0 ? "All columns are used." : "Say what a column means. This browser remembers it."}
      </Text>
      <div className={classes.columns}>
        {shown.map(({ heading, meaning }, index) => (
          <Select
            key={`${index} ${heading}`}
            label={heading}
            data={offered(heading, meaning, said[heading])}
            value={said[heading] ?? meaning ?? null}
            placeholder={MEANINGS.ignore}
            searchable
            clearable={said[heading] !== undefined}
            onChange={(next) => onSay(heading, next)}
          />
        ))}
      </div>
      {shown.length < columns.length && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setWhole(true)}>
          Show all {columns.length} columns
        </Button>
      )}
    </section>
  );
}

function offered(heading: string, ...known: readonly (string | null | undefined)[]) {
  const values = new Set([...Object.keys(MEANINGS), attributeOf(heading), ...known.flatMap((one) => one ?? [])]);
  return [...values].map((value) => ({ value, label: meaningLabel(value) }));
}
