import { Center, Loader } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";

// Delays the indicator, which would flicker for fast responses.
const DELAY_MS = 250;

/** A loading indicator. `page`: centered in an otherwise empty window. */
export function Waiting({ page = false }: { readonly page?: boolean }): ReactNode {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Center mih={page ? "100dvh" : "16rem"} role="status" aria-label="Loading">
      {isSlow && <Loader type="dots" />}
    </Center>
  );
}
