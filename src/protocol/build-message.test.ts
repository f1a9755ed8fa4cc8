import { describe, expect, test } from 'vitest'
import { decodeBuildMessage, readBuildMessage, toVersion1, toVersion2 } from './build-message.ts'

const v1 = {
  buildId: '225gftys3f2ko',
  timestamp: 1_547_508_669_967,
  gradleVersion: '3.3',
  pluginVersion: '1.6',
}
const v2 = {
  buildId: '225gftys3f2ko',
  timestamp: 1_547_508_669_967,
  toolType: 'gradle',
  toolVersion: '3.3',
  agentVersion: '1.6',
}

describe('a Build message', () => {
  test('of version 1 becomes version 2', () => {
    expect(decodeBuildMessage(v1)).toEqual(v2)
  })

  test('of version 2 stays as it is, unknown keys and unknown tools included', () => {
    const novel = { ...v2, toolType: 'ninja', extra: [1] }
    expect(decodeBuildMessage(novel)).toEqual(novel)
  })

  test('goes from one version to the other and back unchanged', () => {
    expect(toVersion1(toVersion2(v1))).toEqual(v1)
  })

  test.each([
    ["isn't an object.", 5],
    ['null', null],
    ['an id of 12 characters', { ...v2, buildId: '225gftys3f2k' }],
    ['an id with a slash', { ...v2, buildId: '225gftys3f2k/' }],
    ['a time that is a text', { ...v2, timestamp: '1547508669967' }],
    ['no tool', { ...v2, toolType: undefined }],
  ])('is refused with %s', (_what, data) => {
    expect(() => decodeBuildMessage(data)).toThrow()
  })
})

describe('a Build message with odd fields', () => {
  test.each([
    ['a time as a text', { timestamp: '1547508669967' }, {}, []],
    ['a time as a date', { timestamp: '2019-01-14T23:31:09.967Z' }, {}, []],
    ['a time with a fraction', { timestamp: 1_547_508_669_967.25 }, {}, []],
    ['an id of another alphabet', { buildId: 'ABC_defg-1234' }, { buildId: 'ABC_defg-1234' }, []],
    ['no agent', { agentVersion: undefined }, { agentVersion: '' }, ['agentVersion is missing']],
    ['no agent', { agentVersion: null }, { agentVersion: '' }, ['agentVersion is null']],
    ['a number as version', { toolVersion: 9 }, { toolVersion: '9' }, []],
    ['no tool', { toolType: null }, { toolType: 'unknown' }, ['toolType is null']],
    ['a list as tool', { toolType: ['x'] }, { toolType: 'unknown' }, ['toolType is a list']],
  ])('keeps the rest of it: %s', (_what, odd, read, faults) => {
    const result = readBuildMessage({ ...v2, ...odd })
    if (!result.ok) throw new Error(result.fault.reason)
    expect(result.build).toEqual({ ...v2, ...read })
    const named = result.faults.map(({ field, reason }) => `${field} ${reason}`)
    expect(named).toEqual(faults.map((fault) => `${fault}, not a text`))
  })

  test.each([
    ['data', 5],
    ['data', null],
    ['buildId', ['x']],
    ['buildId', { ...v2, buildId: '225gftys3f2k' }],
    ['buildId', { ...v2, buildId: 'a/b/c/d/e/f/g' }],
    ['timestamp', { ...v2, timestamp: undefined }],
    ['timestamp', { ...v2, timestamp: -1 }],
    ['timestamp', { ...v2, timestamp: 1e300 }],
    ['timestamp', { ...v2, timestamp: 'yesterday' }],
  ])('is none without a usable %s', (field, data) => {
    expect(readBuildMessage(data)).toMatchObject({ ok: false, fault: { field } })
  })

  test('of version 1 without a plugin version is read all the same', () => {
    const { pluginVersion: _missing, ...rest } = v1
    expect(readBuildMessage(rest)).toMatchObject({
      ok: true,
      build: { ...v2, agentVersion: '' },
      faults: [{ field: 'agentVersion' }],
    })
  })
})
