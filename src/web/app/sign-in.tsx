import { Anchor, Button, Modal, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { type ReactElement, type ReactNode, useEffect, useState } from 'react'
import { asProblem } from '../data/core/attempts.ts'
import { isInFront } from '../data/core/response.ts'
import { useServices } from '../data/core/services.ts'
import type { SessionKeeper, SignInState } from '../data/core/session.ts'
import { signInAddress, signInWithToken, waysToSignIn } from '../data/core/sign-in.ts'
import { useStore } from '../data/core/store.ts'
import { keepDrafts, leftByKey } from '../ui/drafts.ts'
import { Notice } from '../ui/notice.tsx'
import { Fact, Facts } from '../ui/page.tsx'
import { toast } from '../ui/toast.ts'
import type { Session } from '../../protocol/session.ts'
import { longestWayBack } from '../../protocol/sign-in.ts'

/** Mantine's dialogs below this one would take its Escape for theirs and close. */
const own = { 'data-mantine-stop-propagation': true }

/**
 * Over the page while nobody is signed in: what it takes, by the mode of this server. The page stays
 * below it with all that was typed, and what is left for another site is kept for the way back.
 */
export function SignIn(): ReactElement | null {
  const state = useStore(useServices().session.state)
  return state.is === 'signed-out' ? <SignInPage state={state} /> : null
}

type SignedOutState = Extract<SignInState, { is: 'signed-out' }>

function SignInPage({ state: { fault, session } }: { state: SignedOutState }): ReactElement {
  const { recheck, state } = useServices().session
  const { failure, mode } = waysToSignIn(fault)
  const { type } = fault.problem
  const forgets = mode === 'tokens' || mode === 'oidc' ? whyForgotten() : undefined
  useEffect(() => {
    if (session !== undefined) {
      if (type.endsWith(':other-person')) beginAnew(nameOf(session))
      return
    }
    const leftBy = inTab((tab) => tab.getItem(leftByKey))
    return () => {
      const { is, session: next } = state.getSnapshot()
      const wall = wallToGoBackTo()
      if (is === 'signed-in' && wall !== undefined) location.replace(wall)
      else if (is === 'signed-in' && typeof leftBy === 'string' && nameOf(next) !== leftBy)
        beginAnew(leftBy)
    }
  }, [state, session, type])
  useEffect(() => {
    const keepForReturn = (): void => {
      keepDrafts(session?.person)
      inTab((tab) => {
        if (session !== undefined) tab.setItem(leftByKey, nameOf(session))
        // Behind `#` may be what is shown, too, but other sites do not bring it back.
        tab.setItem(leftKey, here() + location.hash)
      })
    }
    // Somebody may have signed in meanwhile, in another window or at the proxy in front.
    window.addEventListener('focus', recheck)
    window.addEventListener('pagehide', keepForReturn)
    return () => {
      window.removeEventListener('focus', recheck)
      window.removeEventListener('pagehide', keepForReturn)
    }
  }, [recheck, session])
  return (
    <Modal
      opened
      fullScreen
      withCloseButton={false}
      closeOnEscape={false}
      trapFocus
      transitionProps={{ duration: 0 }}
      zIndex={400}
      onClose={() => undefined}
      attributes={{ content: { 'aria-label': 'Sign in' } }}
      styles={{ content: { background: 'var(--surface-page)' } }}
      {...own}
    >
      <Stack
        ref={hideAllElse}
        gap="lg"
        maw={400}
        mx="auto"
        mt="12vh"
        px="sm"
        style={{ overflowWrap: 'anywhere' }}
      >
        <Title order={1}>Sign in to Sightline</Title>
        {session !== undefined && (
          <Text>
            Your session has ended, {session.user.name}. Sign in again to continue. What you were
            typing is kept.
          </Text>
        )}
        {failure !== undefined && (
          <Notice tone="bad" role="alert">
            {failure.detail}
            <Claims claims={failure.claims ?? {}} />
          </Notice>
        )}
        {forgets !== undefined && <Notice>{forgets}</Notice>}
        <Way fault={fault} />
      </Stack>
    </Modal>
  )
}

/** What is below can't be read or announced by a screen reader either, dialogs included, until this is gone. */
function hideAllElse(shown: HTMLElement | null): () => void {
  const hidden: HTMLElement[] = []
  for (let at = shown; at !== null && at !== document.body; at = at.parentElement) {
    for (const one of at.parentElement?.children ?? []) {
      if (one !== at && one instanceof HTMLElement && !one.inert) hidden.push(one)
    }
  }
  for (const one of hidden) one.inert = true
  return () => {
    for (const one of hidden) one.inert = false
  }
}

/** Why this browser doesn't keep the cookie of a session, as far as it says so. */
function whyForgotten(): string | undefined {
  if (!isSecureContext)
    return 'This page was opened over plain HTTP, so your browser forgets the sign-in with the next reload. Open Sightline over HTTPS.'
  // Where cookies are blocked, Chromium says that they are enabled, and denies storage.
  if (!navigator.cookieEnabled || inTab(() => true) === undefined)
    return 'Your browser blocks cookies, so it forgets the sign-in with the next reload. Allow cookies for this site.'
  return undefined
}

/** The page that was left: the way back has no room for all of it, and is lost with the cookie of a sign-in. */
const leftKey = 'sightline.hash'

/** What one person has loaded and typed is not for the next. */
function beginAnew(leftBy: string): void {
  inTab((tab) => {
    tab.setItem(leftByKey, leftBy)
  })
  location.reload()
}

/** The same in all sessions of a person; empty where there is but one. */
function nameOf({ person = '' }: Session): string {
  return person
}

/**
 * Gives back what was left in this tab, before the page is drawn: to the person who left it. To somebody
 * whose session has ended it is given only where it is known who that was.
 */
export async function takeBack(session: Pick<SessionKeeper, 'current' | 'state'>): Promise<void> {
  const back = await session.current().catch(() => undefined)
  const wall = wallToGoBackTo()
  // Somebody signed in elsewhere meanwhile.
  if (back !== undefined && wall !== undefined) location.replace(wall)
  inTab((tab) => {
    const leftBy = tab.getItem(leftByKey)
    const isOther = back !== undefined && leftBy !== null && nameOf(back) !== leftBy
    const isUnknown = leftBy === null && session.state.getSnapshot().is === 'signed-out'
    if (isOther || isUnknown) tab.removeItem('sightline.drafts')
    if (isOther) sayWhy(back)
    if (back !== undefined) tab.removeItem(leftByKey)
    const left = tab.getItem(leftKey)
    tab.removeItem(leftKey)
    if (isOther || location.hash !== '' || left === null) return
    const isShorter = left.startsWith(here()) && /^[?#]/.test(left.slice(here().length))
    if (isShorter || isWayBackLost(session)) history.replaceState(null, '', left)
  })
}

/** A sign-in that the server knows nothing of, as when it took too long, ends at the first page. */
function isWayBackLost({ state }: Pick<SessionKeeper, 'state'>): boolean {
  const known = state.getSnapshot()
  const hasFailed = known.is === 'signed-out' && waysToSignIn(known.fault).failure !== undefined
  return hasFailed && here() === '/'
}

/** Why the page is another one, as soon as somebody sees it. */
function sayWhy({ user }: Session): void {
  const say = (): void => {
    if (document.visibilityState !== 'visible') return
    document.removeEventListener('visibilitychange', say)
    void toast(
      `This page was reloaded because ${user.name} signed in. What was typed here before isn't kept.`,
    )
  }
  document.addEventListener('visibilitychange', say)
  say()
}

/** Undefined where a browser is told to keep nothing. */
function inTab<T>(work: (tab: Storage) => T): T | undefined {
  try {
    return work(sessionStorage)
  } catch {
    return undefined
  }
}

function here(): string {
  return location.pathname + location.search
}

/** What the server comes back to; of a longer one the tab keeps the rest (`takeBack`). */
function wayBack(): string {
  const to = wallToGoBackTo() ?? here()
  return to.length > longestWayBack ? location.pathname : to
}

/** Whoever was sent here from a wall, to sign in, comes back to it: nowhere else on anybody's word. */
function wallToGoBackTo(): string | undefined {
  const to = new URLSearchParams(location.hash.slice(1)).get('to') ?? ''
  return /^\/wall(?:[/?#]|$)/.test(to) ? to : undefined
}

function Way({ fault }: { fault: SignedOutState['fault'] }): ReactElement {
  const { mode, signInUrl, again = false, failure, endSessionUrl } = waysToSignIn(fault)
  if (isInFront(fault)) {
    return (
      <Reload label="Continue to sign-in">
        A reverse proxy in front of Sightline requires you to sign in. Reload the page to get there.
      </Reload>
    )
  }
  switch (mode) {
    case 'tokens':
      return <TokenForm />
    case 'oidc':
      return (
        <SingleSignOn
          address={signInAddress(
            signInUrl ?? '/session/sign-in',
            wayBack(),
            // Who has no role would be sent back at once, by a provider that knows them.
            failure?.claims && 'other',
          )}
          isByItself={again}
        />
      )
    case 'header':
      return (
        <>
          <Reload label="Try again">
            {failure === undefined
              ? fault.sentence
              : 'The reverse proxy in front of Sightline signs you in. Try again when you have access, or sign in there as someone else.'}
          </Reload>
          {endSessionUrl !== undefined && (
            <Button component="a" href={endSessionUrl} variant="default" {...own}>
              Sign out
            </Button>
          )}
        </>
      )
    case 'none':
    case undefined:
      return <Reload label="Reload">{fault.sentence}</Reload>
  }
}

function SingleSignOn({
  address = '/session/sign-in',
  isByItself,
}: {
  address: string | undefined
  /** Goes there without being asked, as soon as somebody sees the page. */
  isByItself: boolean
}): ReactElement {
  const [isLeaving, setLeaving] = useState(false)
  useEffect(() => {
    if (!isByItself) return
    const go = (): void => {
      if (document.visibilityState === 'visible') location.assign(address)
    }
    go()
    document.addEventListener('visibilitychange', go)
    return () => {
      document.removeEventListener('visibilitychange', go)
    }
  }, [address, isByItself])
  return (
    <>
      <Text>Use your organization's account. You come back to this page afterwards.</Text>
      <Button
        {...own}
        data-autofocus
        loading={isLeaving}
        onClick={() => {
          setLeaving(true)
          location.assign(address)
        }}
      >
        Sign in with single sign-on
      </Button>
    </>
  )
}

function TokenForm(): ReactElement {
  const services = useServices()
  const [token, setToken] = useState('')
  const [isSending, setSending] = useState(false)
  const [mistake, setMistake] = useState('')

  async function send(): Promise<void> {
    const typed = token.trim()
    if (typed === '') {
      setMistake('Enter your access token.')
      return
    }
    setSending(true)
    try {
      await signInWithToken(services, typed)
    } catch (error) {
      setMistake(asProblem(error).message)
      setSending(false)
    }
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <Stack gap="md">
        <PasswordInput
          {...own}
          data-autofocus
          label="Access token"
          placeholder="slt_…"
          autoComplete="current-password"
          spellCheck={false}
          maxLength={500}
          value={token}
          error={mistake || undefined}
          aria-invalid={mistake !== ''}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the token', ...own }}
          onChange={({ currentTarget }) => {
            setToken(currentTarget.value)
            setMistake('')
          }}
        />
        <Button {...own} type="submit" loading={isSending}>
          Sign in
        </Button>
        <Text c="dimmed">
          No token yet? Ask your administrator for one. It starts with “slt_”. Administrators create
          it with <code>sightline token create</code>.
        </Text>
      </Stack>
    </form>
  )
}

function Reload({ label, children }: { label: string; children: ReactNode }): ReactElement {
  return (
    <>
      <Text component="div">{children}</Text>
      <Button
        {...own}
        data-autofocus
        onClick={() => {
          location.reload()
        }}
      >
        {label}
      </Button>
    </>
  )
}

/** What the identity provider, or the reverse proxy in front, said about somebody, to be sent to who can change it. */
function Claims({ claims }: { claims: Readonly<Record<string, unknown>> }): ReactElement | null {
  const entries = Object.entries(claims)
  if (entries.length === 0) return null
  return (
    <details>
      <Anchor component="summary" {...own}>
        Claims received
      </Anchor>
      <Facts>
        {entries.map(([name, value]) => (
          <Fact key={name} name={name}>
            {typeof value === 'string' ? value : JSON.stringify(value)}
          </Fact>
        ))}
      </Facts>
    </details>
  )
}
