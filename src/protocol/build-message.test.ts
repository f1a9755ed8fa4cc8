import { describe, expect, test } from 'vitest'
import { decodeBuildMessage, toVersion1, toVersion2 } from './build-message.ts'

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
    ['an id with capitals', { ...v2, buildId: '225GFTYS3F2KO' }],
    ['a time that is a text', { ...v2, timestamp: '1547508669967' }],
    ['no tool', { ...v2, toolType: undefined }],
  ])('is refused with %s', (_what, data) => {
    expect(() => decodeBuildMessage(data)).toThrow()
  })
})
