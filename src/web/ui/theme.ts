import {
  colorsTuple,
  createTheme,
  type CSSVariablesResolver,
  type MantineColorSchemeManager,
  type MantineColorsTuple,
} from '@mantine/core'
import type { PreferenceStore } from './device-preferences.ts'

/** The dark surfaces of tokens.css as the shades that Mantine takes them from: ink, lines, panels. */
const dark: MantineColorsTuple = [
  '#d5dae2',
  '#b7bfcb',
  '#98a2b1',
  '#6b7688',
  '#2b313d',
  '#232834',
  '#1a1e26',
  '#14171d',
  '#101319',
  '#0c0f14',
]

/** The shades of "information": 5 and 6 are --info-solid in the dark and in the light. */
const accent: MantineColorsTuple = [
  '#eef0fb',
  '#e3e6f8',
  '#c6cbf1',
  '#a5adea',
  '#98a5f8',
  '#5463d6',
  '#4454c9',
  '#3a48b0',
  '#313d96',
  '#29337d',
]

/** `color="bad"` and so on, as in StatusTone; the shades are those of tokens.css, set below. */
const statuses = ['good', 'bad', 'waiting', 'none', 'info'] as const

/** A control without a size of its own is as high as tokens.css says, on touch screens, too. */
function controlHeight(variable: string, part = 'root', more: Record<string, string> = {}) {
  return (_: unknown, { size }: { size?: unknown }) =>
    size === undefined || size === 'sm'
      ? { [part]: { [variable]: 'var(--control-height)', ...more } }
      : {}
}

/** Fields are read by their labels, which stand above them. */
const field = {
  vars: controlHeight('--input-height', 'wrapper', { '--input-fz': 'var(--text-body)' }),
}

/** Within the page for people who go from landmark to landmark. */
const popover = { shadow: 'sm', portalProps: { target: '#main' } }

const dialog = {
  // What keeps the page from scrolling writes a style element that the CSP forbids.
  lockScroll: false,
  transitionProps: { transition: 'fade', duration: 100 },
  closeButtonProps: { 'aria-label': 'Close' },
  // A header is a banner, of which a page has one.
  attributes: { header: { role: 'presentation' } },
}

/** Mantine in the type, space and colors of tokens.css. */
export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 5 },
  fontFamily: 'var(--font-sans)',
  fontFamilyMonospace: 'var(--font-mono)',
  fontSizes: {
    xs: 'var(--text-small)',
    sm: 'var(--text-body)',
    md: 'var(--text-body)',
    lg: 'var(--text-lead)',
    xl: 'var(--text-lead)',
  },
  lineHeights: { xs: '1.4', sm: '1.4', md: '1.4', lg: '1.3', xl: '1.3' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: 'var(--text-lead)', lineHeight: '1.3' },
      h2: { fontSize: 'var(--text-body)', lineHeight: '1.4' },
      h3: { fontSize: 'var(--text-small)', lineHeight: '1.4' },
    },
  },
  spacing: {
    xs: 'var(--space-1)',
    sm: 'var(--space-2)',
    md: 'var(--space-3)',
    lg: 'var(--space-4)',
    xl: 'var(--space-6)',
  },
  defaultRadius: 'var(--radius)',
  respectReducedMotion: true,
  white: '#fcfcfd',
  black: '#1d232d',
  colors: {
    accent,
    dark,
    ...Object.fromEntries(statuses.map((status) => [status, colorsTuple(`var(--${status})`)])),
  },
  components: {
    Button: {
      vars: controlHeight('--button-height', 'root', {
        '--button-padding-x': '10px',
        '--button-fz': 'var(--text-body)',
      }),
    },
    Input: field,
    SegmentedControl: { defaultProps: { size: 'xs' } },
    Badge: { defaultProps: { variant: 'light', radius: 'var(--radius)', tt: 'none', fw: 600 } },
    Alert: { defaultProps: { variant: 'light' } },
    Table: { defaultProps: { verticalSpacing: 6, horizontalSpacing: 'sm' } },
    Tabs: { defaultProps: { keepMounted: false } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: false } },
    Popover: { defaultProps: popover },
    Menu: {
      defaultProps: { ...popover, position: 'bottom-end', withInitialFocusPlaceholder: false },
    },
    // One that is kept is placed, and measured for it, before anybody opens it.
    Combobox: { defaultProps: { ...popover, keepMounted: false } },
    Modal: { defaultProps: { ...dialog, centered: true } },
    Drawer: { defaultProps: { ...dialog, position: 'right' } },
  },
})

/** Points Mantine's own colors at the tokens, so that a color stands in one file only. */
export const cssVariablesResolver: CSSVariablesResolver = () => {
  const colors: Record<string, string> = {
    '--mantine-color-body': 'var(--surface-page)',
    '--mantine-color-text': 'var(--ink)',
    '--mantine-color-bright': 'var(--ink)',
    '--mantine-color-dimmed': 'var(--ink-dim)',
    '--mantine-color-placeholder': 'var(--ink-dim)',
    '--mantine-color-anchor': 'var(--info-ink)',
    '--mantine-color-error': 'var(--bad-ink)',
    '--mantine-color-default': 'var(--surface-panel)',
    '--mantine-color-default-hover': 'var(--surface-raised)',
    '--mantine-color-default-color': 'var(--ink)',
    '--mantine-color-default-border': 'var(--line)',
    '--mantine-font-size-md': 'var(--text-body)',
    '--mantine-line-height': '1.4',
  }
  for (const status of statuses) {
    colors[`--mantine-color-${status}-filled`] = `var(--${status})`
    colors[`--mantine-color-${status}-light`] = `var(--${status}-surface)`
    colors[`--mantine-color-${status}-light-hover`] = `var(--${status}-surface)`
    colors[`--mantine-color-${status}-light-color`] = `var(--${status}-ink)`
    colors[`--mantine-color-${status}-outline`] = `var(--${status})`
    colors[`--mantine-color-${status}-text`] = `var(--${status}-ink)`
  }
  return { variables: {}, light: colors, dark: colors }
}

/** Keeps Mantine's color scheme where the other preferences of this device are. */
export function colorSchemeManager(store: PreferenceStore): MantineColorSchemeManager {
  let leave: (() => void) | undefined
  return {
    get: () => store.get().scheme,
    // Mantine also sets what it was just told; that is no change and would be told again.
    set: (scheme) => {
      if (store.get().scheme !== scheme) store.change({ scheme })
    },
    subscribe: (onUpdate) => {
      leave = store.subscribe(() => {
        onUpdate(store.get().scheme)
      })
    },
    unsubscribe: () => {
      leave?.()
    },
    clear: () => {
      store.change({ scheme: 'auto' })
    },
  }
}
