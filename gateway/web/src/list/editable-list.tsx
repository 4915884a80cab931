import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { EditMenu } from "../parts/edit-menu.js";
import { ListView, type ListViewProps } from "./list-view.js";
import type { Removal } from "./use-removal.js";
import type { Selecting } from "./use-selection.js";

interface Named {
  readonly id: string;
  readonly name: string;
}

interface EditableListProps<Row> extends Omit<
  ListViewProps<Row>,
  "idOf" | "nameOf" | "selection" | "bulkActions" | "actions"
> {
  /** Whether the person may write; otherwise the list can only be read. */
  readonly may: boolean;
  readonly selection: Selecting;
  readonly removal: Removal;
  readonly onEdit: (row: Row) => void;
}

/** A list of named things that can be edited one by one, and deleted one by one or together. */
export function EditableList<Row extends Named>(props: EditableListProps<Row>): ReactNode {
  const { may, selection, removal, onEdit, ...list } = props;
  const editing = {
    selection,
    bulkActions: (
      <Button size="compact-sm" color="red" variant="light" onClick={removal.removeSelected}>
        Delete
      </Button>
    ),
    actions: (row: Row) => (
      <EditMenu name={row.name} onEdit={() => onEdit(row)} onDelete={() => removal.removeOne(row.id, row.name)} />
    ),
  };
  return <ListView {...list} idOf={({ id }) => id} nameOf={({ name }) => name} {...(may && editing)} />;
}
