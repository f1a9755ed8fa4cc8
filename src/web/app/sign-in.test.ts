import { afterEach, expect, test, vi } from 'vitest'
import type { Session } from '../../protocol/session.ts'
import type { SignInState } from '../data/core/session.ts'
import { createStore } from '../data/core/store.ts'
import { createManualClock } from '../../protocol/manual-clock.test-support.ts'
import { ProblemError, problem } from '../../protocol/problem.ts'
import { takeBack } from './sign-in.tsx'

const fault = (): ProblemError =>
  new ProblemError({ ...problem(401, 'signed-out', 'Signed out', 'Sign in.') })

afterEach(() => {
  vi.unstubAllGlobals()
})

/** What is left of drafts and address when somebody comes back; undefined is nobody. */
async function afterReturn(leftBy: string | undefined, back: string | undefined) {
  const tab = new Map([
    ['sightline.drafts', 'drafts'],
    ['sightline.hash', '/decode#a'],
  ])
  if (leftBy !== undefined) tab.set('sightline.left-by', leftBy)
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => tab.get(key) ?? null,
    removeItem: (key: string) => tab.delete(key),
  })
  vi.stubGlobal('location', { pathname: '/decode', search: '', hash: '' })
  // Why it is another page is said once somebody sees it.
  vi.stubGlobal('document', { visibilityState: 'hidden', addEventListener: () => undefined })
  let address: unknown
  vi.stubGlobal('history', { replaceState: (...parts: unknown[]) => (address = parts[2]) })
  const state = createStore<SignInState>({ is: 'unknown' }, { clock: createManualClock(0) })
  const session: Session = {
    token: 't',
    expiresAt: 1,
    user: { name: 'ann', roles: [] },
    ...(back !== undefined && { person: back }),
  }
  await takeBack({
    state: {
      ...state,
      getSnapshot: () =>
        back === undefined
          ? { is: 'signed-out', fault: fault(), session: undefined }
          : { is: 'signed-in', session },
    },
    current: () => (back === undefined ? Promise.reject(fault()) : Promise.resolve(session)),
  })
  return [tab.has('sightline.drafts'), address, tab.get('sightline.left-by')]
}

test.each([
  ['the same person', 'ann', 'ann', [true, '/decode#a', undefined]],
  ['another person of the same name', 'ann', 'another ann', [false, undefined, undefined]],
  ['somebody who only reloaded the page', undefined, 'ann', [true, '/decode#a', undefined]],
  ['nobody yet, of a person that is known', 'ann', undefined, [true, '/decode#a', 'ann']],
  [
    'nobody yet, of a person that is not known',
    undefined,
    undefined,
    [false, '/decode#a', undefined],
  ],
])('what was typed is given back to %s or not', async (_who, leftBy, back, left) => {
  expect(await afterReturn(leftBy, back)).toEqual(left)
})

test.each([
  ['/builds?query=a', '', '/builds?query=a'],
  ['/builds?query=a#b', '?query=a', '/builds?query=a#b'],
  ['/builds?query=a', '?query=b', undefined],
  ['/builds-of-another-page', '', undefined],
])('what was left at %s is given back at ?%s', async (left, search, given) => {
  const tab = new Map([['sightline.hash', left]])
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => tab.get(key) ?? null,
    removeItem: (key: string) => tab.delete(key),
  })
  vi.stubGlobal('location', { pathname: '/builds', search, hash: '' })
  let address: unknown
  vi.stubGlobal('history', { replaceState: (...parts: unknown[]) => (address = parts[2]) })
  const session: Session = { token: 't', expiresAt: 1, user: { name: 'ann', roles: [] } }
  const state = createStore<SignInState>(
    { is: 'signed-in', session },
    { clock: createManualClock(0) },
  )
  await takeBack({ state, current: () => Promise.resolve(session) })
  expect([address, tab.size]).toEqual([given, 0])
})

test.each([
  [
    'a sign-in that failed',
    { failure: { detail: 'It took too long.' } },
    '/board/release?show=a#b',
  ],
  ['nothing', {}, undefined],
])(
  'who is led to the first page by %s is on the page they left, or not',
  async (_what, more, given) => {
    const tab = new Map([
      ['sightline.left-by', 'ann'],
      ['sightline.hash', '/board/release?show=a#b'],
    ])
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => tab.get(key) ?? null,
      removeItem: (key: string) => tab.delete(key),
    })
    vi.stubGlobal('location', { pathname: '/', search: '', hash: '' })
    let address: unknown
    vi.stubGlobal('history', { replaceState: (...parts: unknown[]) => (address = parts[2]) })
    const failed = new ProblemError({ ...fault().problem, ...more })
    const state = createStore<SignInState>(
      { is: 'signed-out', fault: failed, session: undefined },
      { clock: createManualClock(0) },
    )
    await takeBack({ state, current: () => Promise.reject(failed) })
    expect(address).toBe(given)
  },
)
