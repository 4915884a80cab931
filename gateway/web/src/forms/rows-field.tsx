import { ActionIcon, Button, TextInput } from "@mantine/core";
import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import type { AttributeRow } from "./attributes.js";
import classes from "./attributes.module.css";

interface RowsFieldProps {
  /** What a row is, such as `Attribute`. */
  readonly noun: string;
  readonly example: string;
  readonly value: readonly AttributeRow[];
  readonly onChange: (rows: AttributeRow[]) => void;
  /** Why a key is not possible. */
  readonly faultOf?: (key: string) => ReactNode;
}

/** Edits names and values, and adds rows. */
export function RowsField({ noun, example, value, onChange, faultOf }: RowsFieldProps): ReactNode {
  const replace = (index: number, change: Partial<AttributeRow>): void =>
    onChange(value.map((row, at) => (at === index ? { ...row, ...change } : row)));
  return (
    <>
      {value.map(({ key, text }, index) => (
        <div key={index} className={classes.row} role="group" aria-label={`${noun} ${index + 1}`}>
          <TextInput
            label="Name"
            classNames={{ input: "mono" }}
            placeholder={example}
            spellCheck={false}
            value={key}
            onChange={(event) => replace(index, { key: event.currentTarget.value })}
            error={faultOf?.(key.trim())}
          />
          <TextInput
            label="Value"
            className={classes.value ?? ""}
            value={text}
            onChange={(event) => replace(index, { text: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Remove ${noun.toLowerCase()} ${key === "" ? index + 1 : key}`}
            onClick={() => onChange(value.filter((_, at) => at !== index))}
          >
            <Trash2 size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <Button
        mt="sm"
        size="xs"
        variant="default"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() => onChange([...value, { key: "", text: "" }])}
      >
        {noun}
      </Button>
    </>
  );
}
