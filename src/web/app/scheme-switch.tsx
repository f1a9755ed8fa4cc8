import { useMantineColorScheme } from '@mantine/core'
import type { ReactElement } from 'react'
import css from './shell.module.css'

const next = { auto: 'light', light: 'dark', dark: 'auto' } as const
const words = { auto: 'as the system', light: 'light', dark: 'dark' } as const
const shapes = {
  auto: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11v11M6 4v8M4.2 5.6v4.8',
  light: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6',
  dark: 'M13 9.6A5.4 5.4 0 0 1 6.4 3a5.4 5.4 0 1 0 6.6 6.6z',
} as const

/** The colours of the page: as the system has them, light, or dark. */
export function SchemeSwitch(): ReactElement {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const title = `Colours: ${words[colorScheme]}. Switch to ${words[next[colorScheme]]}`
  return (
    <button
      type="button"
      className={css.tool}
      aria-label={title}
      title={title}
      onClick={() => {
        setColorScheme(next[colorScheme])
      }}
    >
      <svg className={css.icon} viewBox="0 0 16 16" aria-hidden="true">
        <path d={shapes[colorScheme]} />
      </svg>
    </button>
  )
}
