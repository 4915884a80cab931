import { createTheme, type CSSVariablesResolver } from "@mantine/core";

// The theme. The build writes it to a style sheet (see vite.config.mjs), because the content security policy forbids
// run-time styles. Colours differ from Mantine's where those miss the contrast of WCAG AA.

export const theme = createTheme({
  primaryColor: "cyan",
  primaryShade: { light: 9, dark: 9 },
  colors: {
    dark: [
      "#e3eaee",
      "#b9c6ce",
      "#9fb0ba",
      "#7b8d98",
      "#3f4f5a",
      "#2f3d47",
      "#1c262d",
      "#172026",
      "#121a1f",
      "#0d1317",
    ],
  },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily:
    'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Helvetica, Arial, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace',
  components: {
    // its scroll lock would insert a style; see global.css
    Modal: { defaultProps: { lockScroll: false, radius: "lg", centered: true } },
    Drawer: { defaultProps: { lockScroll: false } },
    // otherwise, opening a menu focuses its first item, and a menu without items nothing
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    ModalRoot: { defaultProps: { lockScroll: false } },
    DrawerRoot: { defaultProps: { lockScroll: false } },
  },
  headings: {
    fontWeight: "650",
    sizes: {
      h1: { fontSize: "1.5rem", lineHeight: "1.3" },
      h2: { fontSize: "1.125rem", lineHeight: "1.4" },
      h3: { fontSize: "1rem", lineHeight: "1.4" },
    },
  },
});

// Mantine's is too bright for text.
const FILLED_HOVER = { "--mantine-color-cyan-filled-hover": "#095c6b" };

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...FILLED_HOVER,
    "--mantine-color-body": "#f7f9fa",
    "--mantine-color-text": "#16222b",
    "--mantine-color-dimmed": "#4f5d68",
    "--mantine-color-placeholder": "#66737d",
    "--mantine-color-error": "#c2242b",
    "--mantine-color-cyan-light-color": "#095c6b",
    "--mantine-color-teal-light-color": "#066649",
    "--mantine-color-yellow-light-color": "#7a4b00",
    "--nts-surface": "#ffffff",
    "--nts-raised": "#f1f5f7",
    "--nts-line": "#dde4e8",
    "--nts-accent": "#0b7285",
    "--nts-accent-soft": "#e3f4f7",
  },
  dark: {
    ...FILLED_HOVER,
    "--mantine-color-body": "#10171c",
    "--mantine-color-text": "#e3eaee",
    "--mantine-color-dimmed": "#9fb0ba",
    "--mantine-color-placeholder": "#8799a4",
    "--mantine-color-error": "#ff9a9a",
    ...softly("red", "250, 82, 82", "#ffb3b3"),
    ...softly("yellow", "252, 196, 25", "#ffd666"),
    ...softly("teal", "32, 201, 151", "#63e6be"),
    ...softly("gray", "173, 181, 189", "#ced4da"),
    ...softly("cyan", "34, 184, 207", "#66d9e8"),
    "--mantine-color-default": "#1a242b",
    "--mantine-color-default-hover": "#212d35",
    "--mantine-color-default-border": "#33424c",
    "--nts-surface": "#172026",
    "--nts-raised": "#1e2930",
    "--nts-line": "#2b3842",
    "--nts-accent": "#66d9e8",
    "--nts-accent-soft": "#12333b",
  },
});

/** Light backgrounds become faint tints in the dark scheme. */
function softly(color: string, rgb: string, text: string): Record<`--${string}`, string> {
  return {
    [`--mantine-color-${color}-light`]: `rgba(${rgb}, 0.14)`,
    [`--mantine-color-${color}-light-hover`]: `rgba(${rgb}, 0.2)`,
    [`--mantine-color-${color}-light-color`]: text,
  };
}
