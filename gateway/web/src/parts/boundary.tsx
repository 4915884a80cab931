import { Button, Text, Title } from "@mantine/core";
import { RefreshCw, Unplug } from "lucide-react";
import { Component, type ReactNode } from "react";
import classes from "./state.module.css";

interface BoundaryProps {
  readonly children: ReactNode;
}

/** Replaces a part that failed to load, because of a broken connection or a newer version. The layout remains. */
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
