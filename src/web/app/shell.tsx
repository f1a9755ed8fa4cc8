import { Button, useMantineColorScheme } from '@mantine/core'
import { lazy, type ReactElement, Suspense, useEffect, useRef, useState } from 'react'
import { matchPath, NavLink, Outlet, useLocation, useNavigate } from 'react-router'
import { useServices, useSessionUser } from '../data/core/services.ts'
import { useStore } from '../data/core/store.ts'
import { usePreferences, usePreferenceStore } from '../ui/device-preferences.ts'
import { KeyHint, useKeyListener, useKeyRegistry, useKeys } from '../ui/keys.tsx'
import { useHasToasts } from '../ui/toast.ts'
import { ConnectionState } from './connection-state.tsx'
import { DocumentTitle } from './document-title.ts'
import { detailPages, pages } from './pages.ts'
import css from './shell.module.css'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const Toasts = lazy(async () => ({ default: (await import('./toasts.tsx')).Toasts }))
const ServerName = lazy(async () => ({ default: (await import('./servers.tsx')).ServerName }))
const TokensLink = lazy(async () => ({ default: (await import('./servers.tsx')).TokensLink }))
const NoBuildServer = lazy(async () => ({
  default: (await import('./servers.tsx')).NoBuildServer,
}))
const SignIn = lazy(async () => ({ default: (await import('./sign-in.tsx')).SignIn }))
const UserMenu = lazy(async () => ({ default: (await import('./user-menu.tsx')).UserMenu }))
const KeyList = lazy(async () => ({ default: (await import('./shell-dialogs.tsx')).KeyList }))
const PageDrawer = lazy(async () => ({ default: (await import('./shell-dialogs.tsx')).PageDrawer }))

/** What is around every page: navigation, the connection, the switches of this device, the keys. */
export function Shell(): ReactElement {
  const [isPaletteLoaded, setPaletteLoaded] = useState(false)
  const [dialog, setDialog] = useState<'keys' | 'pages'>()
  const hasToasts = useHasToasts()
  const navigate = useNavigate()
  const main = useMainFocus()
  const isSignedOut = useStore(useServices().session.state, ({ is }) => is === 'signed-out')
  const close = (): void => {
    setDialog(undefined)
  }

  async function openPalette(): Promise<void> {
    setPaletteLoaded(true)
    const { spotlight } = await import('@mantine/spotlight')
    spotlight.open()
  }

  useKeyListener(useKeyRegistry())
  useKeys('Everywhere', [
    { keys: ['mod+k'], label: 'Search pages, builds and commands', run: () => void openPalette() },
    {
      keys: ['?'],
      label: 'Keyboard shortcuts',
      run: () => {
        setDialog('keys')
      },
    },
    ...pages.map(({ path, label, key }) => ({
      keys: [`g ${key}`] as const,
      label: `Go to ${label}`,
      run: () => void navigate(path),
    })),
  ])

  return (
    <div className={css.shell}>
      <a className={css.skip} href="#main">
        Skip to content
      </a>
      <header className={css.header}>
        <Button
          className={css.burger}
          variant="subtle"
          color="gray"
          px={7}
          aria-label="Pages"
          onClick={() => {
            setDialog('pages')
          }}
        >
          <svg className={css.icon} viewBox="0 0 16 16" aria-hidden="true">
            <path d="M2 4h12M2 8h12M2 12h12" />
          </svg>
        </Button>
        <span className={css.brand}>
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M2 16C6 9 11 6 16 6s10 3 14 10c-4 7-9 10-14 10S6 23 2 16z" />
            <path d="M2 16h9M21 16h9" />
            <circle cx="16" cy="16" r="4" />
          </svg>
          <span>Sightline</span>
        </span>
        <Here />
        <nav className={css.nav} aria-label="Pages">
          {pages.map(({ path, label }) => (
            <NavLink key={path} to={path} end={path === '/'}>
              {label}
            </NavLink>
          ))}
          <Suspense>
            <TokensLink />
          </Suspense>
        </nav>
        <div className={css.tools}>
          {/* First, so that nothing moves when they come and when their text gets longer. */}
          <span className={css.server}>
            <Suspense>
              <ServerName />
            </Suspense>
          </span>
          <ConnectionState />
          <Button
            variant="default"
            flex="none"
            c="dimmed"
            fw={400}
            aria-label="Search pages, builds and commands"
            onClick={() => void openPalette()}
          >
            <svg className={css.icon} viewBox="0 0 16 16" aria-hidden="true">
              <circle cx="7" cy="7" r="4.5" />
              <path d="m10.5 10.5 3.5 3.5" />
            </svg>
            <span className={css.words}>
              Find <KeyHint keys="mod+k" />
            </span>
          </Button>
          <span className={css.switches}>
            <ZoneSwitch />
            <SchemeSwitch />
          </span>
          <SessionUser />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} className={css.main}>
        <Page />
      </main>
      <DocumentTitle />
      <Suspense>
        {isPaletteLoaded && <Palette />}
        {hasToasts && <Toasts />}
        {isSignedOut && <SignIn />}
        {dialog === 'keys' && <KeyList onClose={close} />}
        {dialog === 'pages' && (
          <PageDrawer onClose={close}>
            <ZoneSwitch />
            <SchemeSwitch />
            <SessionUser />
          </PageDrawer>
        )}
      </Suspense>
    </div>
  )
}

/** The page, where there is the server that it is about. */
function Page(): ReactElement {
  const { pathname } = useLocation()
  const { feed } = useServices()
  const isOff = useStore(feed, ({ upstream }) => upstream?.upstream === 'none')
  const isAboutBuilds = pathname === '/' || /^\/builds(?:\/|$)/.test(pathname)
  return isOff && isAboutBuilds ? (
    <Suspense>
      <NoBuildServer />
    </Suspense>
  ) : (
    <Outlet />
  )
}

/** The name of the page, where there is no room for all of them. */
function Here(): ReactElement {
  const { pathname } = useLocation()
  const here = [...pages, ...detailPages].find(({ path }) => matchPath(path, pathname) !== null)
  return <span className={css.here}>{here?.label}</span>
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

/** Whether times are shown in the time zone of the device or in UTC. */
function ZoneSwitch(): ReactElement {
  const store = usePreferenceStore()
  const isUtc = usePreferences().zone === 'utc'
  const [shown, other] = isUtc ? ['UTC', 'local time'] : ['local time', 'UTC']
  return (
    <Button
      variant="subtle"
      color="gray"
      aria-label={`Times are in ${shown}. Switch to ${other}`}
      title={`Times are in ${shown}. Switch to ${other}`}
      onClick={() => {
        store.change({ zone: isUtc ? 'local' : 'utc' })
      }}
    >
      {isUtc ? 'UTC' : 'Local'}
    </Button>
  )
}

const schemes = {
  auto: {
    name: 'system',
    next: 'light',
    shape: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11v11M6 4v8M4.2 5.6v4.8',
  },
  light: {
    name: 'light',
    next: 'dark',
    shape: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6',
  },
  dark: {
    name: 'dark',
    next: 'auto',
    shape: 'M13 9.6A5.4 5.4 0 0 1 6.4 3a5.4 5.4 0 1 0 6.6 6.6z',
  },
} as const

/** The colors of the page: those of the system, light, or dark. */
function SchemeSwitch(): ReactElement {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { name, next, shape } = schemes[colorScheme]
  const title = `Color scheme: ${name}. Switch to ${schemes[next].name}`
  return (
    <Button
      variant="subtle"
      color="gray"
      px={7}
      aria-label={title}
      title={title}
      onClick={() => {
        setColorScheme(next)
      }}
    >
      <svg className={css.icon} viewBox="0 0 16 16" aria-hidden="true">
        <path d={shape} />
      </svg>
    </Button>
  )
}

/** Who is signed in; a menu on a click. */
function SessionUser(): ReactElement | null {
  const user = useSessionUser()
  const [isOpen, setOpen] = useState<boolean>()
  if (user === undefined) return null
  const trigger = (
    <Button
      className={css.user}
      variant="subtle"
      color="gray"
      px={7}
      aria-label={`Signed in as ${user.name}`}
      onClick={() => {
        if (isOpen === undefined) setOpen(true)
      }}
    >
      <svg className={css.icon} viewBox="0 0 16 16" aria-hidden="true">
        <path d="M8 2.5a2.7 2.7 0 1 1 0 5.4 2.7 2.7 0 0 1 0-5.4M2.8 13.5a5.2 5.2 0 0 1 10.4 0" />
      </svg>
      <span className={css.name}>{user.name}</span>
    </Button>
  )
  return isOpen === undefined ? (
    trigger
  ) : (
    <Suspense fallback={trigger}>
      <UserMenu trigger={trigger} opened={isOpen} onChange={setOpen} />
    </Suspense>
  )
}
