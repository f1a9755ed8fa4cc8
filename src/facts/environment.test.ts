import { describe, expect, test } from 'vitest'
import type { BuildEvent } from '../protocol/build-export.ts'
import { attributeLinks, attributeRows, environmentRows } from './environment.ts'

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

describe('what the attributes of a build say', () => {
  const model = {
    id: 'k3j7x2m4q7a4c',
    buildStartTime: 1,
    bazelVersion: '8.1',
    command: 'test',
    targetPatterns: ['//a/...', '//b'],
    exitCode: 3,
    host: 'agent-1',
    tags: ['CI'],
    values: [],
    links: [{ label: 'CI job', url: 'https://ci.example/1' }],
    develocitySettings: { buildOutputCapturingEnabled: true, taskInputsFileCapturingEnabled: true },
    environment: { jvmVersion: '21', jvmMaxMemoryHeapSize: 1024, localHostname: null },
    novelty: 'new in this release',
  }

  test('comes command first, also what later releases add', () => {
    const rows = attributeRows({ bazelAttributes: { model } })
    expect(rows.map(({ group, name, value, unit }) => [group, name, value, unit])).toEqual([
      ['Command', 'command', 'test', null],
      ['Command', 'exit code', '3', null],
      ['Command', 'targets', '//a/... //b', null],
      ['Command', 'novelty', 'new in this release', null],
      ['Tool', 'Bazel version', '8.1', null],
      ['Machine', 'host', 'agent-1', null],
      ['Java', 'JVM version', '21', null],
      ['Java', 'maximum heap', '1024', 'bytes'],
      ['Capture settings', 'build output capturing enabled', 'yes', null],
    ])
    expect(attributeLinks({ bazelAttributes: { model } })).toEqual(model.links)
  })

  test('is called as it is where every object has something of that name', () => {
    const odd = { constructor: 'a', valueOf: 'b', environment: { toString: 'c' } }
    expect(attributeRows({ bazelAttributes: { model: odd } })).toMatchObject([
      { group: 'Command', name: 'constructor', value: 'a' },
      { group: 'Command', name: 'value of', value: 'b' },
      { group: 'Machine', name: 'to string', value: 'c' },
    ])
    expect(environmentRows([event('constructor', { a: 1 })])).toEqual([])
  })

  test('is a command as words or as a name with arguments, and nothing without attributes', () => {
    const npm = { command: { command: 'install', arguments: ['--ci'] } }
    expect(attributeRows({ npmAttributes: { model: npm } })[0]?.value).toBe('install --ci')
    const python = { command: ['pytest', '-q'] }
    expect(attributeRows({ pythonAttributes: { model: python } })[0]?.value).toBe('pytest -q')
    expect([attributeRows({}), attributeLinks({})]).toEqual([[], []])
  })
})
