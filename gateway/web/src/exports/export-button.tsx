import { Button } from "@mantine/core";
import { Download } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ExportWindow } from "./export-window.js";

/** Opens the export window. */
export function ExportButton(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<Download size={16} aria-hidden />} onClick={() => setOpen(true)}>
        Export
      </Button>
      {isOpen && <ExportWindow onClose={() => setOpen(false)} />}
    </>
  );
}
