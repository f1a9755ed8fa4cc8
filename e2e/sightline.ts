import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, type Page, test as base } from '@playwright/test'
import { freePort } from '../src/free-port.test-support.ts'

/** A running product: `npm start`'s server as its own process. */
export interface Sightline {
  readonly url: string
  /** Everything that it has printed, to look for what must never be there. */
  readonly output: () => string
  /** Ends the process as an operator would (SIGTERM) and waits for it; resolves with its code. */
  readonly stop: () => Promise<number | null>
  /** Ends the process as a power cut would (SIGKILL), and waits for it. */
  readonly kill: () => Promise<void>
}

/** Starts the built product, or the `program` of another release, with these settings, on a free port unless they name one. */
export type StartSightline = (
  settings?: Record<string, string>,
  program?: string,
) => Promise<Sightline>

/** The settings of a product that reads from this build server. */
export function besideBuildServer(url: string, key: string): Record<string, string> {
  return { SIGHTLINE_BUILD_DATA_URL: url, SIGHTLINE_BUILD_DATA_ACCESS_KEY: key }
}

/** What a browser says that forbids something, or that broke. */
export function complaintsOf(page: Page, kinds = ['error', 'warning']): readonly string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (kinds.includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}

/** Where this process tells those of the stories what they share. */
const shared = { url: 'STORIES_URL', database: 'STORIES_DATABASE' } as const

/**
 * Starts the product that all stories share, before the first of them (playwright.config.ts). What it
 * stored at its start is kept aside, as most others begin with a copy of it: making it takes longer than
 * all else of a start.
 */
export default async function startShared(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-e2e-'))
  const first = await start(folder, {})
  await first.stop()
  const seeded = join(folder, 'seeded.db')
  await copyFile(join(folder, database), seeded)
  // Each build that arrives costs all that watch.
  const { url, stop } = await start(folder, { SIGHTLINE_EMBEDDED_RATE: '2' })
  Object.assign(process.env, { [shared.url]: url, [shared.database]: seeded })
  return async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** What React says of a development build alone, on which `npm run test:deep` runs the stories as well. */
const isDevelopment = process.env.NODE_ENV === 'development'
const reactWarns =
  /Encountered two children|unique "key" prop|Cannot update a component|getSnapshot should be cached|cannot be a (?:child|descendant)|non-boolean attribute|(?:un)?controlled input|unmounted|Maximum update depth/

/**
 * Stories that only look at builds as they arrive take `url`, the address of a product that all of
 * them share. The others start one of their own by `sightline`; it is ended and its folder removed
 * afterwards.
 */
export const test = base.extend<
  { sightline: StartSightline; reactIsContent: undefined },
  { url: string }
>({
  reactIsContent: [
    async ({ context }, use) => {
      const warnings: string[] = []
      context.on('console', (message) => {
        if (reactWarns.test(message.text())) warnings.push(message.text())
      })
      await use(undefined)
      expect(warnings).toEqual([])
    },
    { auto: isDevelopment },
  ],
  url: [
    async ({}, use) => {
      await use(process.env[shared.url] ?? '')
    },
    { scope: 'worker' },
  ],
  sightline: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'sightline-e2e-'))
    const running: { readonly process: ChildProcess; readonly stop: Sightline['stop'] }[] = []
    await use(async (settings = {}, program) => {
      const own = join(folder, database)
      if (beginsAsUsual(settings) && !existsSync(own))
        await copyFile(process.env[shared.database] ?? '', own)
      const started = await start(folder, settings, program)
      running.push(started)
      return started
    })
    await Promise.all(running.map(({ stop }) => stop()))
    await rm(folder, { recursive: true, force: true })
  },
})

export { expect } from '@playwright/test'

const database = 'sightline.db'

/** Whether a product with these settings makes up the same builds and packages as one without any. */
function beginsAsUsual(settings: Record<string, string>): boolean {
  return !Object.keys(settings).some((name) =>
    /URL$|CONFIG|SECRET|KEY|EMBEDDED_(?:ACCOUNTS|BUILDS|STORES)/.test(name),
  )
}

async function start(
  folder: string,
  settings: Record<string, string>,
  program = 'dist/server/main.js',
): Promise<Sightline & { readonly process: ChildProcess }> {
  // None lives long enough to gain from code that is optimized: a seventh less work with a few pages.
  const process_ = spawn(process.execPath, ['--no-opt', '--no-maglev', program], {
    env: {
      PATH: process.env.PATH,
      SIGHTLINE_PORT: String(await freePort()),
      SIGHTLINE_DATABASE_URL: `file:${join(folder, database)}`,
      SIGHTLINE_EMBEDDED_BUILDS: '200',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  // Not its exit: what it printed last may be read after that.
  const closed = once(process_, 'close')
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [process_.stdout, process_.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        output += `${line}\n`
        const printed = /http:\/\/\S+/.exec(line)?.[0]
        if (printed !== undefined) resolve(printed)
      })
    }
    process_.once('close', (code) => {
      reject(new Error(`the product ended with ${String(code)} before it was ready:\n${output}`))
    })
  })
  return {
    process: process_,
    url: url.replace(/\/$/, ''),
    output: () => output,
    stop: async () => {
      process_.kill('SIGTERM')
      await closed
      return process_.exitCode
    },
    kill: async () => {
      process_.kill('SIGKILL')
      await closed
    },
  }
}
