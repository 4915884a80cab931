import { When } from "../parts/when.js";
import type { Column } from "./data-table.js";

/** When an entity was last changed. */
export function changedColumn<Row extends { readonly updated_at: string }>(): Column<Row> {
  return {
    id: "updated",
    label: "Changed",
    orderBy: "updated_at",
    numbers: true,
    narrow: true,
    cell: ({ updated_at }) => <When at={updated_at} />,
  };
}
