import { Button } from '@mantine/core'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { matchPath, NavLink, Outlet, useLocation, useNavigate } from 'react-router'
import { useServices, useSessionUser } from '../data/core/services.ts'
import { useStore } from '../data/core/store.ts'
import { KeyHint, typeAhead, useKeyListener, useKeyRegistry, useKeys } from '../ui/keys.tsx'
import { lazyPart, lazyPopup } from '../ui/lazy-part.tsx'
import { useHasToasts } from '../ui/toast.ts'
import { ConnectionState, isAboutBuilds, useFeedInTurn } from './connection-state.tsx'
import { detailPages, pages } from './pages.ts'
import css from './shell.module.css'

const Palette = lazyPopup(async () => (await import('./palette.tsx')).Palette)
const Toasts = lazyPart(async () => (await import('./toasts.tsx')).Toasts, { isQuiet: true })
const ServerName = lazyPart(async () => (await import('./servers.tsx')).ServerName, {
  isQuiet: true,
})
const BrowserTab = lazyPart(async () => (await import('./browser-tab.ts')).BrowserTab, {
  isQuiet: true,
})
const NoBuildServer = lazyPart(async () => (await import('./servers.tsx')).NoBuildServer)
const SignIn = lazyPart(async () => (await import('./sign-in.tsx')).SignIn)
const UserMenu = lazyPopup(async () => (await import('./user-menu.tsx')).UserMenu)
const KeyList = lazyPopup(async () => (await import('./shell-dialogs.tsx')).KeyList)
const PageDrawer = lazyPopup(async () => (await import('./shell-dialogs.tsx')).PageDrawer)

/** What is around every page: navigation, the connection, the switches of this device, the keys. */
export function Shell(): ReactElement {
  const [dialog, setDialog] = useState<'keys' | 'pages' | 'palette'>()
  /** What had the focus before, and gets it back. */
  const opener = useRef<Element>(null)
  const hasToasts = useHasToasts()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const all = [...pages, ...detailPages]
  const here = all.find(({ path }) => matchPath(path, pathname) !== null)
  // Of the pages behind others only the one that is shown, or is above it, has an entry.
  const shown = all.filter(
    ({ path, group }) =>
      group !== undefined &&
      (group !== 'you' || matchPath({ path, end: false }, pathname) !== null),
  )
  const { clock, session } = useServices()
  const isSignedOut = useStore(session.state, ({ is }) => is === 'signed-out')
  const main = useMainFocus(isSignedOut)
  const open = (which: typeof dialog) => (): void => {
    opener.current ??= document.activeElement
    setDialog(which)
  }
  const close = (): void => {
    setDialog(undefined)
    if (opener.current instanceof HTMLElement) opener.current.focus()
    opener.current = null
  }
  const [typed, setTyped] = useState<() => string>(() => () => '')
  const openPalette = (): void => {
    const ahead = typeAhead()
    setTyped(() => ahead)
    open('palette')()
  }
  const [isDrawn, setDrawn] = useState(false)

  // What the server's name brings along would come before the page.
  useEffect(
    () =>
      clock.after(300, () => {
        setDrawn(true)
      }),
    [clock],
  )

  useKeyListener(useKeyRegistry())
  useKeys('Everywhere', [
    { keys: ['mod+k'], label: 'Find pages, builds and commands', run: openPalette },
    {
      keys: ['?'],
      label: 'Keyboard shortcuts',
      run: open('keys'),
    },
    ...pages.map(({ path, label, key }) => ({
      keys: [`g ${key}`] as const,
      label: `Go to ${label}`,
      run: () => void navigate(path),
    })),
  ])

  return (
    <div className="frame">
      <a className={css.skip} href="#main">
        Skip to content
      </a>
      <header className="frame-header">
        <Button
          className={`frame-burger ${css.burger}`}
          variant="subtle"
          color="gray"
          aria-label="Pages"
          onClick={open('pages')}
        >
          <svg className={css.icon} viewBox="0 0 16 16" aria-hidden="true">
            <path d="M2 4h12M2 8h12M2 12h12" />
          </svg>
        </Button>
        <span className="frame-brand">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M2 16C6 9 11 6 16 6s10 3 14 10c-4 7-9 10-14 10S6 23 2 16z" />
            <path d="M2 16h9M21 16h9" />
            <circle cx="16" cy="16" r="4" />
          </svg>
          <span>Sightline</span>
        </span>
        <span className="frame-here">{here?.label}</span>
        <nav className="frame-nav" aria-label="Pages">
          {shown.map(({ path, label, group }, index) => (
            <NavLink
              key={path}
              to={path}
              end={path === '/'}
              data-first={group !== shown[index && index - 1]?.group || undefined}
            >
              {label}
            </NavLink>
          ))}
        </nav>
        <div className={css.tools}>
          {/* First, so that nothing moves when they come and when their text gets longer. */}
          <span className={css.server}>{isDrawn && <ServerName />}</span>
          <ConnectionState />
          <Button
            className={css.find}
            variant="default"
            aria-label="Find pages, builds and commands"
            onClick={openPalette}
          >
            <svg className={css.icon} viewBox="0 0 16 16" aria-hidden="true">
              <circle cx="7" cy="7" r="4.5" />
              <path d="m10.5 10.5 3.5 3.5" />
            </svg>
            <span className={css.words}>
              Find <KeyHint keys="mod+k" />
            </span>
          </Button>
          <SessionUser />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1} className="frame-main">
        <Page />
      </main>
      <BrowserTab page={here?.label} />
      {dialog === 'palette' && <Palette onClose={close} onKeys={open('keys')} typed={typed} />}
      {hasToasts && <Toasts />}
      {isSignedOut && <SignIn />}
      {dialog === 'keys' && <KeyList onClose={close} />}
      {dialog === 'pages' && (
        <PageDrawer onClose={close}>
          <SessionUser />
        </PageDrawer>
      )}
    </div>
  )
}

/** The page, where there is the server that it is about. */
function Page(): ReactElement {
  const { pathname } = useLocation()
  const isOff = useStore(useFeedInTurn(), ({ upstream }) => upstream?.upstream === 'none')
  return isOff && isAboutBuilds(pathname) ? <NoBuildServer /> : <Outlet />
}

/** A new page takes the focus, so that a screen reader begins to read there. */
function useMainFocus(isSignedOut: boolean): React.RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const last = useRef(pathname)
  const wasSignedOut = useRef(isSignedOut)
  useEffect(() => {
    const isBack = wasSignedOut.current && !isSignedOut
    wasSignedOut.current = isSignedOut
    // With the dialog goes what had the focus in it.
    if (isBack && document.activeElement === document.body) main.current?.focus()
  }, [isSignedOut])
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    // A page that took long to load takes it from nobody who types by now.
    if (!document.activeElement?.closest('[role="dialog"]')) main.current?.focus()
  }, [pathname])
  return main
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
    <UserMenu
      trigger={trigger}
      opened={isOpen}
      onChange={setOpen}
      onClose={() => {
        setOpen(undefined)
      }}
    />
  )
}
