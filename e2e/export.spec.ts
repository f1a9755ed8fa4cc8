import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { startListingUpstream } from './listing-upstream.ts'
import { freePort } from '../src/free-port.test-support.ts'
import { besideBuildServer, expect, test } from './sightline.ts'

// What reads the exports, and what they are compared with, knows docs/export.md and
// docs/services.md#build-export-stream, and no code of the product.

const key = 'key-of-the-export-story'
const folder = (name: string): string => test.info().outputPath(name)

/** The ids of a text of lines, without half a line at its end. */
function idsOf(text: string): string[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => z.object({ id: z.string() }).parse(JSON.parse(line)).id)
}

/** All builds of the build server in the order in which it received them, by its export stream. */
async function idsOnServer(server: string): Promise<string[]> {
  const response = await fetch(`${server}/build-export/v2/builds/since/0`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(response.status).toBe(200)
  return [...(await response.text()).matchAll(/"buildId":"(\w{13})"/g)].map(([, id = '']) => id)
}

test('an export that follows has every build once and in order, in a file and on standard output, though the proxy and the export are killed', async ({
  sightline,
}) => {
  // Four processes start again, and wait for each other.
  test.setTimeout(240_000)
  const port = await freePort()
  await sightline({
    SIGHTLINE_EMBEDDED_PORT: String(port),
    SIGHTLINE_EMBEDDED_BUILDS: '200',
    SIGHTLINE_EMBEDDED_RATE: '3',
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
  })
  const server = `http://127.0.0.1:${port}`
  const proxy = {
    SIGHTLINE_PORT: String(await freePort()),
    ...besideBuildServer(server, key),
    SIGHTLINE_DATABASE_URL: `file:${folder('proxy.db')}`,
  }
  let running = await sightline(proxy)

  const children: ChildProcess[] = []
  let printed = ''
  const follow = (name: string, ...more: readonly string[]): ChildProcess => {
    const words = ['export', '--since', '365d', '--follow', '--wait', '5s', '--state', folder(name)]
    const child = spawn(process.execPath, ['dist/cli/main.js', ...words, ...more], {
      env: { PATH: process.env.PATH, SIGHTLINE_URL: running.url },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    children.push(child)
    return child
  }
  const lines = folder('builds.ndjson')
  const toFile = (): ChildProcess => follow('file.json', '--output', lines)
  const toOutput = (): ChildProcess => {
    const child = follow('output.json')
    child.stdout?.on('data', (text) => (printed += String(text)))
    // Half a line is what a kill leaves: a reader of lines drops it.
    child.once('close', () => (printed = printed.replace(/[^\n]*$/, '')))
    return child
  }
  const inFile = (): string[] => (existsSync(lines) ? idsOf(readFileSync(lines, 'utf8')) : [])
  const onOutput = (): string[] => [...new Set(idsOf(printed))]
  const kill = async (child: ChildProcess): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  /** Waits until both exports have the builds that the server has now. */
  const caughtUp = async (): Promise<void> => {
    const newest = (await idsOnServer(server)).at(-1) ?? ''
    await expect.poll(() => inFile().includes(newest), { timeout: 60_000 }).toBe(true)
    await expect.poll(() => onOutput().includes(newest), { timeout: 60_000 }).toBe(true)
  }
  /** Waits until the server has more builds than now. */
  const moreBuilds = async (): Promise<void> => {
    const { length } = await idsOnServer(server)
    await expect
      .poll(async () => (await idsOnServer(server)).length, { timeout: 60_000 })
      .toBeGreaterThan(length + 5)
  }

  try {
    let file = toFile()
    let output = toOutput()
    await caughtUp()

    await test.step('the proxy is killed, then an export while it is away', async () => {
      await running.kill()
      await moreBuilds()
      await kill(file)
      running = await sightline(proxy)
      file = toFile()
      await caughtUp()
    })

    await test.step('the other export is killed, then the proxy while it goes on', async () => {
      await kill(output)
      await moreBuilds()
      output = toOutput()
      await running.kill()
      running = await sightline(proxy)
      await caughtUp()
    })

    await test.step('a signal ends both, and nothing is missing, twice or out of order', async () => {
      for (const child of [file, output]) {
        child.kill('SIGTERM')
        await once(child, 'close')
        expect(child.exitCode).toBe(0)
      }
      const all = await idsOnServer(server)
      for (const ids of [inFile(), onOutput()]) {
        expect(ids.length).toBeGreaterThan(210)
        expect(ids).toEqual(all.slice(0, ids.length))
      }
    })
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
})

test('an export from a server that is written from its specification has every build once, whatever dies in the middle of an answer', async ({
  sightline,
}) => {
  // Six processes start one after the other.
  test.setTimeout(240_000)
  const upstream = await startListingUpstream(key, 600)
  const proxy = {
    SIGHTLINE_PORT: String(await freePort()),
    ...besideBuildServer(upstream.url, key),
    SIGHTLINE_DATABASE_URL: `file:${folder('proxy.db')}`,
  }
  let running = await sightline(proxy)
  const children: ChildProcess[] = []
  const start = (...words: readonly string[]): ChildProcess => {
    const child = spawn(
      process.execPath,
      ['dist/cli/main.js', 'export', '--since', '2d', ...words],
      {
        env: { PATH: process.env.PATH, SIGHTLINE_URL: running.url },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    children.push(child)
    return child
  }
  const lines = folder('builds.ndjson')
  const toFile = (): ChildProcess =>
    start('--follow', '--wait', '5s', '--state', folder('file.json'), '--output', lines)
  const inFile = (): string[] => (existsSync(lines) ? idsOf(readFileSync(lines, 'utf8')) : [])
  const caughtUp = (): Promise<void> =>
    expect.poll(() => inFile().at(-1), { timeout: 60_000 }).toBe(upstream.ids().at(-1))
  const kill = async (child: ChildProcess): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'close')
  }

  try {
    let held = upstream.holdPage()
    let file = toFile()

    await test.step('the proxy dies in the middle of the first page', async () => {
      await held
      await running.kill()
      upstream.release()
      upstream.receive(5)
      held = upstream.holdPage()
      running = await sightline(proxy)
    })

    await test.step('the export dies in the middle of the next one', async () => {
      await held
      await kill(file)
      upstream.release()
      file = toFile()
      await caughtUp()
    })

    await test.step('the stream breaks in the middle of a build', async () => {
      upstream.receive(5)
      await caughtUp()
      upstream.breakStreams()
      upstream.receive(5)
      await caughtUp()
    })

    await test.step('both die while builds arrive', async () => {
      upstream.receive(5)
      await running.kill()
      upstream.receive(5)
      await kill(file)
      running = await sightline(proxy)
      upstream.receive(5)
      file = toFile()
      await caughtUp()
      file.kill('SIGINT')
      await once(file, 'close')
      expect(file.exitCode).toBe(0)
      expect(inFile()).toEqual(upstream.ids())
    })
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await upstream.close()
  }
})
