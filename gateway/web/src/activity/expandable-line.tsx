import { UnstyledButton } from "@mantine/core";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import classes from "./activity.module.css";

interface ExpandableLineProps {
  readonly isOpenAtFirst?: boolean;
  readonly line: ReactNode;
  /** At the end of the line. */
  readonly aside: ReactNode;
  /** Made when it is open. */
  readonly details: () => ReactNode;
}

/** A line that expands to its details. */
export function ExpandableLine({ isOpenAtFirst = false, line, aside, details }: ExpandableLineProps): ReactNode {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const id = useId();
  return (
    <>
      <div className={classes.line}>
        <UnstyledButton
          className={classes.entry}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight size={16} aria-hidden className={classes.chevron} />
          {line}
        </UnstyledButton>
        {aside}
      </div>
      {isOpen && <div id={id}>{details()}</div>}
    </>
  );
}
