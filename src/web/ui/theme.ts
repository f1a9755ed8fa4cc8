import {
  createTheme,
  type CSSVariablesResolver,
  type MantineColorSchemeManager,
} from '@mantine/core'
import type { PreferenceStore } from './device-preferences.ts'

/** Mantine in the type, space and colours of tokens.css. */
export const theme = createTheme({
  primaryColor: 'indigo',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'var(--font-mono)',
  defaultRadius: 'var(--radius)',
  respectReducedMotion: true,
  white: '#fcfcfd',
  black: '#1d232d',
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
    '--mantine-primary-color-filled': 'var(--focus)',
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
