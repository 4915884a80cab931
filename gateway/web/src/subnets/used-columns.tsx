import type { SubnetUse } from "@nts/shared/contract";
import type { ReactNode } from "react";
import type { Column } from "../list/data-table.js";
import { amountText, sharesOf } from "./amounts.js";
import classes from "./subnets.module.css";

/** Columns of used and free addresses. */
export function usedColumns<Row extends { readonly id: string }>(
  uses: ReadonlyMap<string, SubnetUse>,
): readonly Column<Row>[] {
  return [
    { id: "used", label: "Used", numbers: true, narrow: true, cell: ({ id }) => <Used use={uses.get(id)} /> },
    {
      id: "free",
      label: "Free",
      phone: "second-end",
      numbers: true,
      narrow: true,
      cell: ({ id }) => {
        const use = uses.get(id);
        return use !== undefined && amountText(use.free);
      },
    },
  ];
}

function Used({ use }: { readonly use: SubnetUse | undefined }): ReactNode {
  if (use === undefined) return null;
  return (
    <span className={classes.use}>
      {amountText(use.used)}
      <span className={classes.share} aria-hidden>
        <span style={{ width: `${sharesOf(use).used}%` }} />
      </span>
    </span>
  );
}
