import { useMantineColorScheme } from '@mantine/core'
import { lazy, type ReactElement, Suspense, useEffect, useRef, useState } from 'react'
import { NavLink, Outlet, useLocation, useNavigate } from 'react-router'
import { useSessionUser } from '../data/core/services.ts'
import { usePreferences, usePreferenceStore } from '../ui/device-preferences.ts'
import { KeyHint, useKeyListener, useKeyRegistry, useKeys } from '../ui/keys.tsx'
import { ConnectionState } from './connection-state.tsx'
import { DocumentTitle } from './document-title.ts'
import { KeyList } from './key-list.tsx'
import { pages } from './pages.ts'
import css from './shell.module.css'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const Toasts = lazy(async () => ({ default: (await import('./toasts.tsx')).Toasts }))

/** What is around every page: navigation, the connection, the switches of this device, the keys. */
export function Shell(): ReactElement {
  const [isPaletteLoaded, setPaletteLoaded] = useState(false)
  const keyList = useRef<HTMLDialogElement>(null)
  const navigate = useNavigate()
  const main = useMainFocus()

  async function openPalette(): Promise<void> {
    setPaletteLoaded(true)
    const { spotlight } = await import('@mantine/spotlight')
    spotlight.open()
  }

  useKeyListener(useKeyRegistry())
  useKeys('Everywhere', [
    { keys: ['mod+k'], label: 'Find a page, a build or a command', run: () => void openPalette() },
    { keys: ['?'], label: 'List of keys', run: () => keyList.current?.showModal() },
    ...pages.map(({ path, label, key }) => ({
      keys: [`g ${key}`] as const,
      label: `Go to ${label}`,
      run: () => void navigate(path),
    })),
  ])

  return (
    <div className={css.shell}>
      <a className={css.skip} href="#main">
        Skip to the content
      </a>
      <header className={css.header}>
        <span className={css.brand}>Sightline</span>
        <nav className={css.nav} aria-label="Pages">
          {pages.map(({ path, label }) => (
            <NavLink key={path} to={path} end>
              {label}
            </NavLink>
          ))}
        </nav>
        <div className={css.tools}>
          <button
            type="button"
            className={css.find}
            aria-label="Find a page, a build or a command"
            onClick={() => void openPalette()}
          >
            <svg className={css.icon} viewBox="0 0 16 16" aria-hidden="true">
              <circle cx="7" cy="7" r="4.5" />
              <path d="m10.5 10.5 3.5 3.5" />
            </svg>
            <span className={css.wide}>
              Find <KeyHint keys="mod+k" />
            </span>
          </button>
          <ConnectionState />
          <ZoneSwitch />
          <SchemeSwitch />
          <SessionUser />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} className={css.main}>
        <Outlet />
      </main>
      <DocumentTitle />
      <KeyList dialog={keyList} />
      <Suspense>
        {isPaletteLoaded && <Palette />}
        <Toasts />
      </Suspense>
    </div>
  )
}

/** A new page takes the focus, so that a screen reader begins to read there. */
function useMainFocus(): React.RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    main.current?.focus()
  }, [pathname])
  return main
}

/** Whether times are shown in the zone of the device or in UTC. */
function ZoneSwitch(): ReactElement {
  const store = usePreferenceStore()
  const { zone } = usePreferences()
  return (
    <button
      type="button"
      className={css.tool}
      aria-label={`Times are shown in ${zone === 'utc' ? 'UTC' : 'the zone of this device'}. Switch to ${zone === 'utc' ? 'the zone of this device' : 'UTC'}`}
      title="Show times in UTC or in the zone of this device"
      onClick={() => {
        store.change({ zone: zone === 'utc' ? 'local' : 'utc' })
      }}
    >
      {zone === 'utc' ? 'UTC' : 'Local'}
    </button>
  )
}

const next = { auto: 'light', light: 'dark', dark: 'auto' } as const
const words = { auto: 'as the system', light: 'light', dark: 'dark' } as const
const shapes = {
  auto: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11v11M6 4v8M4.2 5.6v4.8',
  light: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6',
  dark: 'M13 9.6A5.4 5.4 0 0 1 6.4 3a5.4 5.4 0 1 0 6.6 6.6z',
} as const

/** The colours of the page: as the system has them, light, or dark. */
function SchemeSwitch(): ReactElement {
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

/** Who is signed in. */
function SessionUser(): ReactElement | null {
  const user = useSessionUser()
  if (user === undefined) return null
  const { name, roles } = user
  return (
    <span className={css.user} title={`${name}: ${roles.join(', ')}`}>
      {name}
    </span>
  )
}
