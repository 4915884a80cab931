import { Button, Group } from "@mantine/core";
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
  /** False for a read-only list. */
  readonly may: boolean;
  readonly selection: Selecting;
  readonly removal: Removal;
  readonly onEdit: (row: Row) => void;
  /** Further actions, of the selection and of a row. */
  readonly furtherBulk?: ReactNode;
  readonly further?: (row: Row) => ReactNode;
}

/** A list of named entities with editing, and deletion of one or several. */
export function EditableList<Row extends Named>(props: EditableListProps<Row>): ReactNode {
  const { may, selection, removal, onEdit, furtherBulk, further, ...list } = props;
  const editing = {
    selection,
    bulkActions: (
      <>
        {furtherBulk}
        <Button size="compact-sm" color="red" variant="light" onClick={removal.removeSelected}>
          Delete
        </Button>
      </>
    ),
    actions: (row: Row) => (
      <Group gap="xs" wrap="nowrap" justify="flex-end">
        {further?.(row)}
        <EditMenu name={row.name} onEdit={() => onEdit(row)} onDelete={() => removal.removeOne(row.id, row.name)} />
      </Group>
    ),
  };
  return <ListView {...list} idOf={({ id }) => id} nameOf={({ name }) => name} {...(may && editing)} />;
}
