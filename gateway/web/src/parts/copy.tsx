import { ActionIcon, Button, Code, Tooltip } from "@mantine/core";
import { Check, Copy } from "lucide-react";
import { type ReactNode, useState } from "react";
import classes from "./copy.module.css";

const SHOWN_MS = 2_000;

/** Text with a copy button. */
export function CopyField({ label, value }: { readonly label: string; readonly value: string }): ReactNode {
  const [isCopied, copy] = useCopy(value);
  return (
    <div className={classes.field}>
      <Code block className={classes.text} aria-label={label} tabIndex={0}>
        {value}
      </Code>
      <Button
        variant="default"
        size="xs"
        onClick={copy}
        leftSection={isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        aria-label={`Copy: ${label}`}
      >
        <span aria-live="polite">{isCopied ? "Copied" : "Copy"}</span>
      </Button>
    </div>
  );
}

/** The icon variant. */
export function CopyIcon({ label, value }: { readonly label: string; readonly value: string }): ReactNode {
  const [isCopied, copy] = useCopy(value);
  return (
    <Tooltip label={isCopied ? "Copied" : label}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} onClick={copy}>
        {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}

function useCopy(value: string): [isCopied: boolean, copy: () => void] {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    void copyText(value).then((done) => {
      setCopied(done);
      if (done) setTimeout(() => setCopied(false), SHOWN_MS);
    });
  };
  return [isCopied, copy];
}

/** The clipboard API requires a secure context; elsewhere, the older way works. */
async function copyText(text: string): Promise<boolean> {
  if (window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // permission denied: the older way may work
    }
  }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  // oxlint-disable-next-line typescript/no-deprecated -- without https there is nothing else
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
