import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { ExportLine, lineSchemas } from './export-line.ts'
import { type RawBuild, type RawServer, startRawServer } from './export-server.test-support.ts'

// The built command in processes of its own, as a shell runs it, against a raw server.

const folder = mkdtempSync(join(tmpdir(), 'sightline-export-'))
const token = `slt_${'a'.repeat(43)}`

beforeAll(async () => {
  const outDir = join(folder, 'built')
  await build({ mode: 'cli', logLevel: 'error', build: { outDir } })
  writeFileSync(join(outDir, 'package.json'), '{"type": "module"}')
  program('sightline', `exec '${process.execPath}' '${join(outDir, 'main.js')}' "$@"`)
  program('kcat', `cat > "topic of $5"`)
  program('bq', `echo "$@" > bq.txt`)
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

function program(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, name), 0o755)
}

async function rawServer(
  builds: readonly RawBuild[],
  options: Parameters<typeof startRawServer>[0] = {},
): Promise<RawServer> {
  const server = await startRawServer({ token, ...options })
  onTestFinished(server.stop)
  server.publish(builds)
  return server
}

function signal({ pid }: ChildProcess, name: 'SIGKILL' | 'SIGTERM'): void {
  if (pid !== undefined) process.kill(-pid, name)
}

function rawBuilds(count: number): RawBuild[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `build${String(index).padStart(8, '0')}`,
    at: Date.UTC(2026, 10, 20) + index * 10,
    project: 'shop',
    facts: 'with it',
  }))
}

function start(server: RawServer, script: string, cwd = folder): ChildProcess {
  return spawn('bash', ['--norc', '-o', 'pipefail', '-c', script], {
    cwd,
    // A group of its own, so that a signal reaches the whole of it.
    detached: true,
    env: {
      PATH: `${folder}${delimiter}${process.env.PATH ?? ''}`,
      SIGHTLINE_URL: server.url,
      SIGHTLINE_TOKEN: token,
    },
  })
}

async function ended(
  child: ChildProcess,
): Promise<{ code: number | null; out: string; err: string }> {
  let out = ''
  let err = ''
  child.stdout?.on('data', (data) => (out += String(data)))
  child.stderr?.on('data', (data) => (err += String(data)))
  await once(child, 'close')
  return { code: child.exitCode, out, err }
}

const Id = z.object({ id: z.string() })
function idsOf(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => Id.parse(JSON.parse(line)).id)
}

test('killed by SIGKILL again and again, the file has each build once', async () => {
  const builds = rawBuilds(1000)
  let child: ChildProcess | undefined
  let left = Infinity
  const onRequest = (): void => {
    left -= 1
    if (left === 0 && child !== undefined) signal(child, 'SIGKILL')
  }
  const server = await rawServer(builds, { pageSize: 20, onRequest })
  const words =
    'exec sightline export --since 2026-11-20 --output killed.ndjson --state killed.json'
  for (const requests of [2, 5, 9, 16]) {
    left = requests
    child = start(server, words)
    expect((await ended(child)).code).toBe(null)
  }
  left = Infinity
  expect((await ended(start(server, words))).code).toBe(0)
  const text = readFileSync(join(folder, 'killed.ndjson'), 'utf8')
  expect(idsOf(text)).toEqual(builds.map(({ id }) => id))
})

test('a reader that leaves ends it quietly, and SIGTERM while it follows ends it with 0', async () => {
  const running: ChildProcess[] = []
  const onReader = (): void => {
    for (const child of running) signal(child, 'SIGTERM')
  }
  const server = await rawServer(rawBuilds(2000), { pageSize: 100, onReader })
  const words = 'export --since 2026-11-20 --follow'
  const head = await ended(start(server, `sightline ${words} | head -n 3`))
  expect([head.code, head.err, idsOf(head.out).length]).toEqual([0, '', 3])
  const child = start(server, `exec sightline ${words} --output term.ndjson`)
  running.push(child)
  const { code, err } = await ended(child)
  expect([code, err]).toEqual([0, '2,000 written.\n'])
  expect(idsOf(readFileSync(join(folder, 'term.ndjson'), 'utf8')).length).toBe(2000)
})

test('a disk that is full ends it with 2 and a sentence, and with room again each build is there once', async () => {
  const builds = rawBuilds(200)
  const server = await rawServer(builds, { pageSize: 20 })
  const words = 'sightline export --since 2026-11-20 --output full.ndjson --state full.json'
  // The limit stands for the end of the disk: a write up to it is taken in part.
  const full = await ended(start(server, `trap '' XFSZ; ulimit -f 16; exec ${words}`))
  expect([full.code, full.err]).toEqual([2, "--output: can't write full.ndjson (EFBIG).\n"])
  const cut = readFileSync(join(folder, 'full.ndjson'), 'utf8')
  expect(cut.length % 1024).toBe(0)
  expect(cut.endsWith('\n')).toBe(false)
  expect((await ended(start(server, words))).code).toBe(0)
  const text = readFileSync(join(folder, 'full.ndjson'), 'utf8')
  expect(idsOf(text)).toEqual(builds.map(({ id }) => id))
})

test.each([
  ['export --since 2026-11-20 > /dev/full', "Can't write to standard output (ENOSPC).\n"],
  ['export --since 2026-11-20 --output /dev/full', "--output: can't write /dev/full (ENOSPC).\n"],
  [
    'export --since 2026-11-20 --output lines.ndjson --state away/state.json',
    "--state: can't write away/state.json (ENOENT).\n",
  ],
  ['export --since 2026-11-20 --state .', "--state: can't read . (EISDIR).\n"],
  ['--help > /dev/full', "Can't write to standard output (ENOSPC).\n"],
])('what cannot be written is named: %s', async (words, sentence) => {
  const server = await rawServer(rawBuilds(5))
  const { code, err } = await ended(start(server, `sightline ${words}`))
  expect([code, err]).toEqual([2, sentence])
})

const page = readFileSync(new URL('../../../docs/export.md', import.meta.url), 'utf8')

function recipe(heading: string): string {
  const [, section = ''] = page.split(`\n### ${heading}\n`)
  const [, code] = /```sh\n(.*?)```/s.exec(section) ?? []
  if (code === undefined) throw new Error(`no recipe ${heading}`)
  return code
}

/** The recipes as they stand in docs/export.md; what isn't installed here (kcat, bq) only takes what it is given. */
test('the recipes of docs/export.md run as they stand', async () => {
  const builds = rawBuilds(20)
  const server = await rawServer(builds)
  const hasJq = (await ended(start(server, 'command -v jq'))).code === 0
  const first = builds[0]?.id ?? ''
  if (hasJq) {
    const csv = await ended(start(server, recipe('A table for a spreadsheet')))
    expect([csv.code, csv.err]).toEqual([0, '20 written.\n'])
    const rows = readFileSync(join(folder, 'builds.csv'), 'utf8').trimEnd().split('\n')
    expect([rows.length, rows[0]]).toEqual([
      20,
      '"2026-11-20T00:00:00.000Z","shop","succeeded",60000',
    ])
    const topic = start(
      server,
      recipe('A Kafka topic').replaceAll('1d', '2026-11-20').replace('--follow', ''),
    )
    expect((await ended(topic)).code).toBe(0)
    const [record = ''] = readFileSync(join(folder, 'topic of builds'), 'utf8').split('\n')
    expect(record.split('\t')[0]).toBe(first)
    expect(JSON.parse(record.split('\t')[1] ?? '')).toMatchObject({ id: first, version: 1 })
  }
  const load = await ended(start(server, recipe('BigQuery').replace('1d', '2026-11-20')))
  expect([load.code, load.err]).toEqual([0, '20 written.\n'])
  expect(readFileSync(join(folder, 'bq.txt'), 'utf8')).toContain('builds.ndjson schema.json')
  const schema: unknown = JSON.parse(readFileSync(join(folder, 'schema.json'), 'utf8'))
  expect(schema).toEqual(lineSchemas.bigquery())
  const lines = readFileSync(join(folder, 'builds.ndjson'), 'utf8').trimEnd().split('\n')
  for (const line of lines) ExportLine.parse(JSON.parse(line))
})

test('a named pipe is written to as standard output is: its reader may come late and leave, and SIGTERM ends it', async () => {
  const server = await rawServer(rawBuilds(2000), { pageSize: 100 })
  const words = 'sightline export --since 2026-11-20 --output fifo'
  const head = await ended(
    start(server, `mkfifo fifo; head -n 3 < fifo & ${words} --follow; echo "ended $?"; wait`),
  )
  expect([head.err, head.out.split('\n').filter((line) => line.startsWith('{')).length]).toEqual([
    '',
    3,
  ])
  expect(head.out).toContain('ended 0')
  const all = await ended(start(server, `cat fifo & ${words}; wait`))
  expect(idsOf(all.out)).toHaveLength(2000)
  // Nobody reads it.
  const alone = await ended(start(server, `${words} & sleep 1; kill $!; wait $!; echo "ended $?"`))
  expect(alone.out).toBe('ended 130\n')
})

test('the JSON schema lets new fields come', () => {
  expect(JSON.stringify(lineSchemas.json())).not.toContain('"additionalProperties":false')
})

test('the table schema has a column for every field of a line', () => {
  const columns = lineSchemas.bigquery()
  expect(columns.slice(0, 7)).toEqual([
    { name: 'version', type: 'INTEGER', mode: 'REQUIRED' },
    { name: 'id', type: 'STRING', mode: 'REQUIRED' },
    { name: 'receivedAt', type: 'TIMESTAMP', mode: 'REQUIRED' },
    { name: 'startedAt', type: 'TIMESTAMP', mode: 'NULLABLE' },
    { name: 'finishedAt', type: 'TIMESTAMP', mode: 'NULLABLE' },
    { name: 'matches', type: 'STRING', mode: 'REQUIRED' },
    { name: 'complete', type: 'BOOLEAN', mode: 'REQUIRED' },
  ])
  const facts = columns.find(({ name }) => name === 'facts')
  expect([facts?.type, facts?.mode]).toEqual(['RECORD', 'REQUIRED'])
  expect(facts?.fields).toEqual(
    expect.arrayContaining([
      { name: 'project', type: 'STRING', mode: 'NULLABLE' },
      { name: 'requested', type: 'STRING', mode: 'REPEATED' },
      { name: 'durationMs', type: 'FLOAT', mode: 'NULLABLE' },
      { name: 'fields', type: 'JSON', mode: 'NULLABLE' },
      {
        name: 'values',
        type: 'RECORD',
        mode: 'REPEATED',
        fields: [
          { name: 'name', type: 'STRING', mode: 'REQUIRED' },
          { name: 'value', type: 'STRING', mode: 'REQUIRED' },
        ],
      },
    ]),
  )
})
