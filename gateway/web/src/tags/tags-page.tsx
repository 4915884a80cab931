import { Button, ColorSwatch } from "@mantine/core";
import { bulkDeleteTags, deleteTag, listTags, type Tag } from "@nts/shared/contract";
import { Plus, Tags as TagsIcon } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useRows } from "../api/queries.js";
import type { OpenEditor } from "../forms/for-editing.js";
import type { Column } from "../list/data-table.js";
import { EditableList } from "../list/editable-list.js";
import { fieldOf, useListState } from "../list/list-state.js";
import { useRemoval } from "../list/use-removal.js";
import { useSelection } from "../list/use-selection.js";
import { EmptyState } from "../parts/empty-state.js";
import { Page } from "../parts/page.js";
import { useHasLevel } from "../session/session.js";
import { shownColour } from "./colour.js";
import { TagEditor } from "./tag-editor.js";
import classes from "./tags.module.css";

const FIELDS = ["name", "color", "created_at"] as const;

export default function TagsPage(): ReactNode {
  const state = useListState();
  const selection = useSelection();
  const may = useHasLevel("Admin");
  const [edited, setEdited] = useState<OpenEditor>(null);
  const rows = useRows(listTags, { query: { ...state.query, order_by: fieldOf(FIELDS, state.orderBy) ?? "name" } });
  const removal = useRemoval({
    one: deleteTag,
    many: bulkDeleteTags,
    noun: "tag",
    consequence: "It is removed from everything that uses it.",
    selection,
  });
  const columns: readonly Column<Tag>[] = [
    {
      id: "name",
      label: "Name",
      orderBy: "name",
      cell: ({ name, color }) => (
        <span className={classes.name}>
          <ColorSwatch size={14} color={color === null ? "transparent" : shownColour(color)} />
          <strong>{name}</strong>
        </span>
      ),
    },
    { id: "description", label: "Description", cell: ({ description }) => description },
  ];
  const add = may && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setEdited({ id: null })}>
      New tag
    </Button>
  );
  return (
    <Page title="Tags" about="Shared, managed names. Resources can also carry free-form labels." actions={add}>
      <EditableList
        label="Tags"
        rows={rows}
        state={state}
        columns={columns}
        may={may}
        selection={selection}
        removal={removal}
        onEdit={({ id }) => setEdited({ id })}
        empty={
          <EmptyState icon={TagsIcon} title="No tags" actions={add}>
            {may
              ? "Tags such as “production” or “to be replaced” filter every list and the topology."
              : "Owners and Admins of your organization can create tags."}
          </EmptyState>
        }
      />
      {edited !== null && <TagEditor id={edited.id} onClose={() => setEdited(null)} />}
    </Page>
  );
}
