import { expect, test } from 'vitest'
import type { Facts } from '../../../protocol/facts.ts'
import { doneText, exportLoaded, waitingText } from './export-menu.tsx'
import { exportFileName, exportRows } from './export-rows.ts'

const plain: Facts = {
  buildId: 'k3j7aaaaa7a4c',
  receivedAt: Date.UTC(2026, 10, 20, 9),
  buildTool: 'gradle',
  buildToolVersion: '9.2',
  agentVersion: '4',
  outcome: 'failed',
  project: '=cmd()',
  requested: [':a', ':b'],
  durationMs: 1200,
  startTime: Date.UTC(2026, 10, 20, 8, 59),
  values: [
    { name: 'CI job', value: 'x' },
    { name: 'ci job', value: 'y' },
  ],
}
const columns = ['project', 'duration', 'started', 'value:CI job', 'user', 'failure']
const none = (): Promise<void> => Promise.resolve()

test('a table for spreadsheets has the columns as shown, with units, and runs nothing', async () => {
  const blob = await exportLoaded(exportRows('csv', columns), [plain], none)
  expect(new Uint8Array(await blob.arrayBuffer()).slice(0, 3)).toEqual(
    new Uint8Array([0xef, 0xbb, 0xbf]),
  )
  expect(await blob.text()).toBe(
    'Build,Project,Duration (ms),Started (UTC),CI job,User,Failure\r\n' +
      `k3j7aaaaa7a4c,'=cmd(),1200,2026-11-20T08:59:00.000Z,"x, y",,\r\n`,
  )
})

test('where builds are filtered here, a column says which ones may not match', async () => {
  const builds = [plain, { ...plain, buildId: 'k3j7aaaaa7a4d' }]
  const rows = (form: 'csv' | 'json') =>
    exportLoaded(
      exportRows(form, ['duration'], (id) => id === plain.buildId),
      builds,
      none,
    ).then((blob) => blob.text())
  expect(await rows('csv')).toContain(
    'Build,Query match,Duration (ms)\r\nk3j7aaaaa7a4c,unknown,1200\r\nk3j7aaaaa7a4d,yes,1200\r\n',
  )
  expect(JSON.parse(await rows('json'))).toEqual([
    { buildId: 'k3j7aaaaa7a4c', queryMatch: 'unknown', durationMs: 1200 },
    { buildId: 'k3j7aaaaa7a4d', queryMatch: 'yes', durationMs: 1200 },
  ])
})

test('records for programs have true types, and leave out what is not known', async () => {
  const blob = await exportLoaded(exportRows('ndjson', [...columns, 'requested']), [plain], none)
  expect(JSON.parse(await blob.text())).toEqual({
    buildId: 'k3j7aaaaa7a4c',
    project: '=cmd()',
    durationMs: 1200,
    startTime: plain.startTime,
    'CI job': ['x', 'y'],
    failure: null,
    requested: [':a', ':b'],
  })
})

test('a custom value with the name of another column takes nothing away from it', async () => {
  const names = ['buildId', 'project', 'durationMs', 'CI job']
  const build: Facts = {
    ...plain,
    project: 'checkout',
    values: names.map((name) => ({ name, value: 'x' })),
  }
  const shown = [...names.map((name) => `value:${name}`), 'project', 'duration']
  const blob = await exportLoaded(exportRows('ndjson', shown), [build], none)
  expect(JSON.parse(await blob.text())).toEqual({
    buildId: plain.buildId,
    'value:buildId': ['x'],
    'value:project': ['x'],
    'value:durationMs': ['x'],
    'CI job': ['x'],
    project: 'checkout',
    durationMs: 1200,
  })
})

test('a hundred thousand builds are written in pieces, with pauses between', async () => {
  let pauses = 0
  const many = Array.from({ length: 100_000 }, () => plain)
  const blob = await exportLoaded(exportRows('csv', columns), many, () => {
    pauses += 1
    return Promise.resolve()
  })
  expect(pauses).toBe(50)
  expect((await blob.text()).split('\r\n')).toHaveLength(100_002)
})

test('one list for programs is whole, in one piece, in many, and of no build', async () => {
  const json = exportRows('json', ['duration'])
  const text = (builds: readonly Facts[]) =>
    exportLoaded(json, builds, none).then((blob) => blob.text())
  const record = { buildId: plain.buildId, durationMs: 1200 }
  expect(JSON.parse(await text([plain, plain]))).toEqual([record, record])
  expect(JSON.parse(await text(Array.from({ length: 2001 }, () => plain)))).toHaveLength(2001)
  expect(JSON.parse(await text([]))).toEqual([])
})

test.each([
  [
    'buildTool:gradle buildOutcome:failed',
    'builds-buildtool-gradle-buildoutcome-failed-2026-11-22',
  ],
  ['', 'builds-2026-11-22'],
  ['project:"../größe"', 'builds-project-größe-2026-11-22'],
  [`tag:${'a'.repeat(500)}`, `builds-tag-${'a'.repeat(56)}-2026-11-22`],
  [`tag:${'a'.repeat(55)}𠮷𠮷`, `builds-tag-${'a'.repeat(55)}-2026-11-22`],
])('a file is called after the query %j and the day', (query, name) => {
  expect(exportFileName(query, '2026-11-22', 'csv')).toBe(`${name}.csv`)
})

test('what may not match is said of the file', () => {
  expect(doneText(12_000, 0, 'a.csv')).toBe('12,000 builds exported to a.csv.')
  expect(doneText(2, 1, 'a.csv')).toContain('1 of them may or may not match')
})

test('an export that waits says who is away, and not more', () => {
  const reason = (text: string): string => waitingText({ isBusy: false, reason: text })
  expect(reason("Can't reach the Sightline server.")).toBe("Can't reach the Sightline server.")
  expect(reason('The build server failed (500). Try again later.')).toBe(
    'The build server failed (500).',
  )
  expect(reason("Can't reach builds.example.com: refused. Check it.")).toBe(
    "Can't reach builds.example.com: refused.",
  )
  expect(waitingText({ isBusy: true, reason: 'x' })).toBe('The build server is busy.')
})
