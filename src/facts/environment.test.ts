import { describe, expect, test } from 'vitest'
import type { BuildEvent } from '../protocol/build-export.ts'
import { environmentRows } from './environment.ts'

function event(eventType: string, data: Record<string, unknown>): BuildEvent {
  return { timestamp: 1, type: { majorVersion: 1, minorVersion: 0, eventType }, data }
}

describe('where a build ran', () => {
  test('lists every plain value of the events that have one', () => {
    const rows = environmentRows([
      event('MvnJvm', {
        vmName: 'OpenJDK',
        version: '21',
        nested: { a: 1 },
        none: null,
        list: [{}],
      }),
      event('Hardware', { numProcessors: 8 }),
      event('BuildModes', { daemon: true, offline: false }),
      event('JvmArgs', { effective: ['-Xmx2g', '-ea'] }),
      event('BasicMemoryStats', { max: 1024, gcTime: 5 }),
      event('TaskStarted', { id: 1 }),
    ])
    expect(rows.map(({ group, name, value, unit }) => [group, name, value, unit])).toEqual([
      ['Machine', 'CPU cores', '8', null],
      ['Java', 'vm name', 'OpenJDK', null],
      ['Java', 'version', '21', null],
      ['Java', 'arguments', '-Xmx2g -ea', null],
      ['Memory', 'maximum heap', '1024', 'bytes'],
      ['Memory', 'garbage collection', '5', 'ms'],
      ['Switches', 'daemon', 'yes', null],
      ['Switches', 'offline', 'no', null],
    ])
  })
})
