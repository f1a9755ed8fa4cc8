import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { Browser, BrowserContextOptions, Page } from '@playwright/test'
import { expect } from './sightline.ts'

/** Who may sign in: a token each, of which the configuration file has the hash. */
export interface Person {
  readonly name: string
  readonly role: string
  readonly token: string
  /** Epoch ms; in a month where it is left out. */
  readonly expires?: number
  /** Another token of the same person, for a month. */
  readonly spare?: string
}

/** Somebody with a token that nobody else has. */
export function person(name: string, role: string): Person {
  return { name, role, token: `slt_${randomBytes(32).toString('base64url')}` }
}

/** Two who may decide, and one who may look. */
export function threePeople(): Record<'ann' | 'bo' | 'vic', Person> {
  return {
    ann: person('ann', 'releaser'),
    bo: person('bo', 'releaser'),
    vic: person('vic', 'viewer'),
  }
}

/** Writes a configuration file by which these people sign in for a month, with `more`; the settings for that. */
export function signInWithTokens(
  config: string,
  people: readonly Person[],
  more: object = {},
): Record<string, string> {
  writeFileSync(config, JSON.stringify({ ...more, users: people.map(userOf) }))
  return {
    SIGHTLINE_SIGN_IN: 'tokens',
    SIGHTLINE_SESSION_SECRET: randomBytes(32).toString('base64url'),
    SIGHTLINE_CONFIG: config,
  }
}

function userOf({ name, role, token, expires, spare }: Person): object {
  const day = 24 * 60 * 60 * 1000
  const tokenOf = (text: string, end = Date.now() + 30 * day): object => ({
    sha256: createHash('sha256').update(text).digest('hex'),
    prefix: text.slice(0, 8),
    created: new Date(Date.now() - day).toISOString(),
    expires: new Date(end).toISOString(),
  })
  return {
    name,
    role,
    tokens: [tokenOf(token, expires), ...(spare === undefined ? [] : [tokenOf(spare)])],
  }
}

/** A page of somebody in a browser of their own, signed in at the page that was opened first. */
export async function signedIn(
  browser: Browser,
  address: string,
  who: Person,
  device: BrowserContextOptions = {},
): Promise<Page> {
  const page = await (await browser.newContext(device)).newPage()
  await page.goto(address)
  await page.getByRole('textbox', { name: 'Access token' }).fill(who.token)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'Sign in' })).toBeHidden()
  return page
}
