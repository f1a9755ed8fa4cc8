import {
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

/** Mantine in the type, space and colours of tokens.css. */
export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 5 },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'var(--font-mono)',
  defaultRadius: 'var(--radius)',
  respectReducedMotion: true,
  white: '#fcfcfd',
  black: '#1d232d',
  colors: { accent, dark },
})

/** Points Mantine's own colours at the tokens, so that a colour is said in one file only. */
export const cssVariablesResolver: CSSVariablesResolver = () => {
  const colours = {
    '--mantine-color-body': 'var(--surface-page)',
    '--mantine-color-text': 'var(--ink)',
    '--mantine-color-bright': 'var(--ink)',
    '--mantine-color-dimmed': 'var(--ink-dim)',
    '--mantine-color-placeholder': 'var(--ink-dim)',
    '--mantine-color-anchor': 'var(--info-ink)',
    '--mantine-color-default': 'var(--surface-panel)',
    '--mantine-color-default-hover': 'var(--surface-raised)',
    '--mantine-color-default-color': 'var(--ink)',
    '--mantine-color-default-border': 'var(--line)',
    '--mantine-font-size-md': 'var(--text-body)',
    '--mantine-line-height': '1.4',
  }
  return { variables: {}, light: colours, dark: colours }
}

/** Keeps Mantine's colour scheme where the other preferences of this device are. */
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
