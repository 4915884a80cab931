import { ArrowDown, ArrowUp, Pencil, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { RowMenu } from "./row-menu.js";

/** The position of a row in its host, and how to change it. */
interface Place {
  /** From 0. */
  readonly position: number;
  readonly count: number;
  readonly moveTo: (position: number) => void;
}

interface EditMenuProps {
  readonly name: string;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
  /** Only for ordered rows. */
  readonly place?: Place;
}

/** Actions to edit, delete and move a row. */
export function EditMenu({ name, onEdit, onDelete, place }: EditMenuProps): ReactNode {
  return (
    <RowMenu
      name={name}
      actions={[
        { label: "Edit", icon: Pencil, run: onEdit },
        ...(place === undefined ? [] : movesOf(place)),
        { label: "Delete", icon: Trash2, isDestructive: true, run: onDelete },
      ]}
    />
  );
}

function movesOf({ position, count, moveTo }: Place) {
  return [
    { label: "Move up", icon: ArrowUp, isDisabled: position === 0, run: () => moveTo(position - 1) },
    { label: "Move down", icon: ArrowDown, isDisabled: position === count - 1, run: () => moveTo(position + 1) },
  ];
}
