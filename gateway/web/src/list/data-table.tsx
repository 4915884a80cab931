import { Checkbox, Table, UnstyledButton } from "@mantine/core";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import classes from "./data-table.module.css";

export interface Column<Row> {
  readonly id: string;
  readonly label: string;
  /** The API's field to order by. */
  readonly orderBy?: string;
  readonly cell: (row: Row) => ReactNode;
  /** Aligned digits, for numbers and times. */
  readonly numbers?: boolean;
  /** Shrinks to its content. */
  readonly narrow?: boolean;
  /** Hidden at medium widths. */
  readonly optional?: boolean;
  /** Shown only when it is chosen. */
  readonly onRequest?: boolean;
  /**
   * Its place in a row of two lines on narrow screens, at the start or end of a line. In tables that have such columns,
   * others are hidden there.
   */
  readonly phone?: "first" | "first-end" | "second" | "second-end";
}

export interface Order {
  readonly by: string | null;
  readonly direction: "asc" | "desc";
  readonly change: (by: string, direction: "asc" | "desc") => void;
}

export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly toggle: (ids: readonly string[], isSelected: boolean) => void;
}

export interface DataTableProps<Row> {
  /** Accessible name. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly nameOf: (row: Row) => string;
  readonly order?: Order;
  readonly selection?: Selection | undefined;
  /** The group of a row; rows of a group are adjacent. */
  readonly groupOf?: ((row: Row) => string) | undefined;
  /** Buttons at the end of a row. */
  readonly actions?: ((row: Row) => ReactNode) | undefined;
}

/** A table that turns into a stack of cards on narrow screens. */
export function DataTable<Row>(props: DataTableProps<Row>): ReactNode {
  const { label, columns, rows, idOf, nameOf, order, selection, groupOf, actions } = props;
  const ids = rows.map(idOf);
  const selected = ids.filter((id) => selection?.ids.has(id) === true).length;
  const width = columns.length + (selection === undefined ? 0 : 1) + (actions === undefined ? 0 : 1);
  return (
    <div className={classes.frame}>
      <Table
        className={classes.table}
        aria-label={label}
        verticalSpacing="0.25rem"
        horizontalSpacing="md"
        highlightOnHover
        data-compact={columns.some(({ phone }) => phone !== undefined) || undefined}
      >
        <Table.Thead>
          <Table.Tr>
            {selection !== undefined && (
              <Table.Th className={classes.check}>
                <Checkbox
                  aria-label="Select all on this page"
                  checked={selected === ids.length && ids.length > 0}
                  indeterminate={selected > 0 && selected < ids.length}
                  onChange={({ currentTarget }) => selection.toggle(ids, currentTarget.checked)}
                />
              </Table.Th>
            )}
            {columns.map((column) => (
              <Head key={column.id} column={column} order={order} />
            ))}
            {actions !== undefined && (
              <Table.Th className={classes.actions}>
                <span className={classes.hidden}>Actions</span>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => {
            const id = idOf(row);
            const group = groupOf?.(row);
            const previous = rows[index - 1];
            const isFirst = group !== undefined && (previous === undefined || groupOf?.(previous) !== group);
            return (
              <Fragment key={id}>
                {isFirst && (
                  <Table.Tr className={classes.group}>
                    <Table.Th colSpan={width} scope="colgroup">
                      {group}
                    </Table.Th>
                  </Table.Tr>
                )}
                <BodyRow {...{ id, row, columns, nameOf, selection, actions }} />
              </Fragment>
            );
          })}
        </Table.Tbody>
      </Table>
    </div>
  );
}

interface BodyRowProps<Row> extends Pick<DataTableProps<Row>, "columns" | "nameOf" | "selection" | "actions"> {
  readonly id: string;
  readonly row: Row;
}

function BodyRow<Row>({ id, row, columns, nameOf, selection, actions }: BodyRowProps<Row>): ReactNode {
  return (
    <Table.Tr data-selected={selection?.ids.has(id) === true || undefined}>
      {selection !== undefined && (
        <Table.Td className={classes.check}>
          <Checkbox
            aria-label={`Select ${nameOf(row)}`}
            checked={selection.ids.has(id)}
            onChange={({ currentTarget }) => selection.toggle([id], currentTarget.checked)}
          />
        </Table.Td>
      )}
      {columns.map((column) => (
        <Table.Td key={column.id} data-label={column.label} data-phone={column.phone} className={classOf(column)}>
          <div data-label={column.label}>{column.cell(row)}</div>
        </Table.Td>
      ))}
      {actions !== undefined && <Table.Td className={classes.actions}>{actions(row)}</Table.Td>}
    </Table.Tr>
  );
}

function classOf<Row>({ numbers, narrow, optional }: Column<Row>): string {
  return [numbers === true && "numbers", narrow === true && classes.narrow, optional === true && classes.optional]
    .filter(Boolean)
    .join(" ");
}

function Head<Row>({ column, order }: { readonly column: Column<Row>; readonly order: Order | undefined }): ReactNode {
  const { label, orderBy } = column;
  if (order === undefined || orderBy === undefined) return <Table.Th className={classOf(column)}>{label}</Table.Th>;
  const isOrdered = order.by === orderBy;
  const Icon = !isOrdered ? ChevronsUpDown : order.direction === "asc" ? ArrowUp : ArrowDown;
  const next = isOrdered && order.direction === "asc" ? "desc" : "asc";
  return (
    <Table.Th
      className={classOf(column)}
      aria-sort={isOrdered ? (order.direction === "asc" ? "ascending" : "descending") : "none"}
    >
      <UnstyledButton className={classes.order} onClick={() => order.change(orderBy, next)}>
        {label}
        <Icon size={14} aria-hidden className={isOrdered ? classes.ordered : classes.unordered} />
      </UnstyledButton>
    </Table.Th>
  );
}
