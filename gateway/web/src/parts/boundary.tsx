import { Button, Text, Title } from "@mantine/core";
import { RefreshCw, Unplug } from "lucide-react";
import { Component, type ReactNode } from "react";
import classes from "./state.module.css";

interface BoundaryProps {
  readonly children: ReactNode;
}

/**
 * Stands in for what could not be shown: a part of the console that did not arrive, because the connection broke or a newer
 * version has taken its place. What surrounds it stays.
 */
export class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div className={classes.state} role="alert">
        <Unplug size={32} strokeWidth={1.5} aria-hidden className={classes.icon} />
        <Title order={2}>Page could not be loaded</Title>
        <Text c="dimmed">The connection was lost, or a newer version of the console is available.</Text>
        <Button
          variant="default"
          leftSection={<RefreshCw size={16} aria-hidden />}
          onClick={() => {
            window.location.reload();
          }}
        >
          Reload
        </Button>
      </div>
    );
  }
}
