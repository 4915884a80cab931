import { Badge, ColorSwatch } from "@mantine/core";
import type { ReactNode } from "react";
import { shownColour } from "./colour.js";
import classes from "./tags.module.css";
import type { KnownTags } from "./tags.js";

export function TagBadges({ tags, known }: { readonly tags: readonly string[]; readonly known: KnownTags }): ReactNode {
  if (tags.length === 0) return null;
  return (
    <span className={classes.badges}>
      {tags.map((tag) => {
        const color = known.tagOf(tag)?.color ?? null;
        return (
          <Badge
            key={tag}
            variant="default"
            tt="none"
            fw={500}
            leftSection={
              color === null ? undefined : <ColorSwatch size={9} color={shownColour(color)} withShadow={false} />
            }
          >
            {known.nameOf(tag)}
          </Badge>
        );
      })}
    </span>
  );
}
