import { Text } from "@mantine/core";
import { FileUp } from "lucide-react";
import { type DragEvent, type ReactNode, useId, useState } from "react";
import classes from "./imports.module.css";

interface FileFieldProps {
  readonly onChoose: (file: File) => void;
  /** Why no file can be selected yet. */
  readonly isLacking?: string | undefined;
  /** Accepted formats and maximum size. */
  readonly about?: string;
}

const SCANS = "Scans and output of other tools, up to 40 MB";

/** Selects a file, or accepts a dropped one. */
export function FileField({ onChoose, isLacking, about = SCANS }: FileFieldProps): ReactNode {
  const id = useId();
  const disabled = isLacking !== undefined;
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files.item(0);
    if (file !== null && !disabled) onChoose(file);
  };
  return (
    <label
      htmlFor={id}
      className={classes.drop}
      data-over={isOver || undefined}
      data-disabled={disabled || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FileUp size={28} strokeWidth={1.5} aria-hidden />
      <span>
        {isLacking ?? (
          <>
            <strong>Select a file</strong>, or drop it here
          </>
        )}
      </span>
      <Text size="sm" c="dimmed" component="span">
        {about}
      </Text>
      <input
        id={id}
        type="file"
        disabled={disabled}
        className={classes.input}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.item(0) ?? null;
          if (file !== null) onChoose(file);
        }}
      />
    </label>
  );
}
