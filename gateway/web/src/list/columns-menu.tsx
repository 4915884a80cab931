import { Button, Checkbox, Popover, Stack } from "@mantine/core";
import { Columns3 } from "lucide-react";
import type { ReactNode } from "react";
import type { ChosenColumns } from "./chosen-columns.js";
import classes from "./list-view.module.css";

/** Chooses the columns of a list. */
export function ColumnsMenu<Row>({ columns }: { readonly columns: ChosenColumns<Row> }): ReactNode {
  const { all, isUsual, isShown, show, reset } = columns;
  return (
    <Popover position="bottom-end" withinPortal trapFocus returnFocus>
      <Popover.Target>
        <Button
          className={classes.columns ?? ""}
          variant="default"
          leftSection={<Columns3 size={16} aria-hidden />}
          aria-haspopup="dialog"
        >
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Stack gap="xs">
          {all.slice(1).map(({ id, label }) => (
            <Checkbox
              key={id}
              size="sm"
              label={label}
              checked={isShown(id)}
              onChange={({ currentTarget }) => show(id, currentTarget.checked)}
            />
          ))}
          <Button size="compact-sm" variant="subtle" disabled={isUsual} onClick={reset}>
            Usual columns
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
