import { TagsInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { KnownTags } from "./tags.js";

interface TagFieldProps {
  readonly known: KnownTags;
  /** As in the API: ids of managed tags, or free labels. */
  readonly value?: readonly string[];
  readonly onChange: (tags: string[]) => void;
  readonly error?: ReactNode;
  readonly description?: string;
}

const HOW = "Select a tag, or type a label and press Enter";

/** Selects managed tags by name, or accepts free labels. */
export function TagField({ known, value = [], onChange, error, description = HOW }: TagFieldProps): ReactNode {
  return (
    <TagsInput
      label="Tags"
      description={description}
      data={known.tags.map(({ name }) => name)}
      value={value.map(known.nameOf)}
      onChange={(names) => onChange(names.map(known.valueOf))}
      error={error}
      maxTags={50}
      acceptValueOnBlur
    />
  );
}
