import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toolsWithAttributes } from '../../protocol/build-data.ts'
import { generateHistory } from './content/history.ts'
import { serve, type Serving } from './serving.test-support.ts'

// The schema of docs/services.md#attributes-of-one-build, read from there, and what is answered.

interface Member {
  readonly isOptional: boolean
  /** Such as `string`, `value[]` or `null`. */
  readonly types: readonly string[]
}
type Shape = ReadonlyMap<string, Member>

const shapes = readShapes()

function readShapes(): ReadonlyMap<string, Map<string, Member>> {
  const docs = readFileSync(new URL('../../../docs/services.md', import.meta.url), 'utf8')
  const [, block = ''] = /### Attributes of one build\n[^]*?```text\n([^]*?)```/.exec(docs) ?? []
  const all = new Map<string, Map<string, Member>>()
  for (const line of block.trim().split('\n')) {
    const [, shape = '', members = ''] = /^(\w+) +(.*)$/.exec(line) ?? []
    const known = all.get(shape) ?? new Map<string, Member>()
    all.set(shape, known)
    for (const member of members.split(', ')) {
      const [, name = '', optional, types = ''] = /^(\w+)(\??) (\S+)$/.exec(member) ?? []
      known.set(name, { isOptional: optional === '?', types: types.split('|') })
    }
  }
  return all
}

/** What is wrong with a value, by its path. */
function faults(value: unknown, shape: Shape, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [`${path} is no object`]
  const members = new Map<string, unknown>(Object.entries(value))
  return [
    ...[...members.keys()]
      .filter((name) => !shape.has(name))
      .map((name) => `${path}.${name} is unknown`),
    ...Array.from(shape, ([name, { isOptional, types }]): string[] => {
      const member = members.get(name)
      if (member === undefined) return isOptional ? [] : [`${path}.${name} is missing`]
      const found = types.map((type) => faultsOfType(member, type, `${path}.${name}`))
      return found.some((one) => one.length === 0) ? [] : (found[0] ?? [])
    }).flat(),
  ]
}

function faultsOfType(value: unknown, type: string, path: string): string[] {
  if (type.endsWith('[]')) {
    if (!Array.isArray(value)) return [`${path} is no list`]
    return value.flatMap((one: unknown, at) =>
      faultsOfType(one, type.slice(0, -2), `${path}[${at}]`),
    )
  }
  const shape = shapes.get(type)
  if (shape !== undefined) return faults(value, shape, path)
  const fits =
    type === 'null'
      ? value === null
      : type === 'integer'
        ? Number.isSafeInteger(value)
        : typeof value === type
  return fits ? [] : [`${path} is no ${type}`]
}

let serving: Serving
const builds = [...generateHistory({ seed: 5, count: 600, until: Date.UTC(2026, 10, 19, 16) })]
beforeAll(async () => {
  serving = await serve()
  await serving.addAll(builds)
})
afterAll(() => serving.stop())

test.each(toolsWithAttributes)('attributes of %s builds are those of the schema', async (tool) => {
  const shape: Shape = new Map([...(shapes.get('all') ?? []), ...(shapes.get(tool) ?? [])])
  expect(shape.size).toBeGreaterThan(10)
  const ofTool = builds.filter(({ message }) => message.toolType === tool)
  const isFailed = ({ attributes }: (typeof builds)[number]): boolean =>
    attributes?.hasFailed === true
  const some = [...ofTool.filter(isFailed).slice(0, 8), ...ofTool.slice(0, 12)]
  expect(some.length).toBeGreaterThan(4)
  for (const { message } of some) {
    const answer = await serving.request(`/api/builds/${message.buildId}/${tool}-attributes`)
    expect(answer.status).toBe(200)
    const value: unknown = await answer.json()
    expect(faults(value, shape, tool)).toEqual([])
    const list = await serving.request(`/api/builds/${message.buildId}?models=${tool}-attributes`)
    expect(await list.json()).toHaveProperty(`models.${tool}Attributes.model`, value)
  }
})
