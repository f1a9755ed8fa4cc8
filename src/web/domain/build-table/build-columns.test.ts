import { expect, test } from 'vitest'
import { columnMeaning, shownColumns, userAndHost, usualColumns } from './build-columns.tsx'
import { movedColumn, resizedColumn, toggledColumn } from './column-edge.tsx'

const three = shownColumns(['project', 'user', 'value:CI job'], undefined)
const names = (columns: readonly { name: string }[]) => columns.map(({ name }) => name)

test('a link is heeded before the device, the device before what is usual', () => {
  const chosen = [
    { name: 'agent', width: 300 },
    { name: 'project', width: 90 },
  ]
  expect(names(shownColumns(undefined, undefined))).toEqual(usualColumns)
  expect(shownColumns(undefined, chosen)).toEqual(chosen)
  expect(shownColumns(['project', 'user'], chosen)).toEqual([
    { name: 'project', width: 90 },
    { name: 'user', width: 100 },
  ])
})

test('what is stored and makes no sense is passed over', () => {
  const stored = [
    { name: 'gone', width: 1 },
    { name: 'user', width: Infinity },
  ]
  expect(shownColumns(undefined, stored)).toEqual([{ name: 'user', width: 640 }])
  expect(names(shownColumns(undefined, []))).toEqual(usualColumns)
})

test('columns come and go, but for the last', () => {
  expect(names(toggledColumn(three, 'agent'))).toEqual(['project', 'user', 'value:CI job', 'agent'])
  expect(names(toggledColumn(three, 'user'))).toEqual(['project', 'value:CI job'])
  expect(names(toggledColumn([{ name: 'user', width: 90 }], 'user'))).toEqual(['user'])
})

test.each([
  ['user', -1, 'user project value:CI job'],
  ['user', 1, 'project value:CI job user'],
  ['project', -1, 'project user value:CI job'],
  ['value:CI job', 5, 'project user value:CI job'],
  ['gone', 1, 'project user value:CI job'],
])('%s moved by %i', (name, by, order) => {
  expect(names(movedColumn(three, name, by)).join(' ')).toBe(order)
})

test('a width stays within bounds', () => {
  expect(resizedColumn(three, 'user', 3)[1]).toEqual({ name: 'user', width: 56, isFixed: true })
  expect(resizedColumn(three, 'user', 99.6)[1]).toEqual({ name: 'user', width: 100, isFixed: true })
})

test('a number and a word that is a status are never made too narrow for them', () => {
  const columns = shownColumns(['outcome', 'duration', 'project'], undefined)
  const widths = ['outcome', 'duration', 'project'].map(
    (name) => resizedColumn(columns, name, 0).find((column) => column.name === name)?.width,
  )
  expect(widths).toEqual([94, 86, 56])
})

const build = {
  buildId: 'aaaaaaaaaaaaa',
  receivedAt: 1,
  buildTool: 'gradle',
  buildToolVersion: '9',
  agentVersion: '4',
}

test('the branch is the custom value of that name, in any case of letters', () => {
  const values = [
    { name: 'CI job', value: 'check' },
    { name: 'git Branch', value: 'main' },
  ]
  const { text } = columnMeaning('branch')
  expect(text({ ...build, values })).toBe('main')
  expect(text({ ...build, values: [] })).toBeUndefined()
  expect(text(build)).toBeUndefined()
})

test('user and host stand together, or what of them is known', () => {
  const text = (user: string | null, hostname: string | null) =>
    userAndHost({ ...build, user, hostname })
  expect(text('alice', 'agent-12')).toBe('alice@agent-12')
  expect(text(null, 'agent-12')).toBe('agent-12')
  expect(text('alice', null)).toBe('alice')
  expect(text(null, null)).toBeNull()
})
