import { lazy, type ReactElement, Suspense, useEffect, useRef, useState } from 'react'
import { NavLink, Outlet, useLocation, useNavigate } from 'react-router'
import { KeyHint, useKeyListener, useKeyRegistry, useKeys } from '../ui/keys.tsx'
import { ConnectionState } from './connection-state.tsx'
import { DocumentTitle } from './document-title.tsx'
import { KeyList } from './key-list.tsx'
import { pages } from './pages.ts'
import { SchemeSwitch } from './scheme-switch.tsx'
import { SessionUser } from './session-user.tsx'
import css from './shell.module.css'
import { ZoneSwitch } from './zone-switch.tsx'

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
